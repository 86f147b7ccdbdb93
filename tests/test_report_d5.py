"""Section D5, Quixo by an evolution strategy over weighted rules, compared with plain Python."""

import numpy as np
import pytest
from playing import batch_of, random_positions

from ci_envs import Position, Quixo, make_agent
from ci_envs.agents.evolution.rules import RULES, RulesPolicy, write_allowed_actions
from ci_envs.arena.match import play_match
from ci_envs.reports.report_d.quixo_rules import Settings, evolve, rules_agent, share_won, softmax

GAME = Quixo()
POSITIONS = random_positions(GAME, 400, seed=2)
ROWS = [[(row, column) for column in range(5)] for row in range(5)]
COLUMNS = [[(row, column) for row in range(5)] for column in range(5)]
DIAGONALS = [[(k, k) for k in range(5)], [(k, 4 - k) for k in range(5)]]


def cells(word):
    return {divmod(cell, 5) for cell in range(25) if word >> cell & 1}


def cubes(position):
    """Return the cells of the player to move and of the opponent."""
    return cells(position.own), cells(position.opp)


def after(position, action):
    """Return the cells of the player who moved and of the opponent, also if the move ends the game."""
    theirs, mine = cubes(position.play(action))
    return mine, theirs


def threatens(own, opp, lines):
    """Return whether the player of ``own`` completes a line by a move."""
    word = [sum(1 << 5 * row + column for row, column in player) for player in (own, opp)]
    position = Position(GAME, *word, 0)
    if position.result is not None:
        return any(set(line) <= own for line in lines)
    return any(set(line) <= after(position, action)[0] for action in position.legal_actions() for line in lines)


def plain_actions(rule, position):
    """Return the actions that a rule, counted from 1, allows."""
    own, opp = cubes(position)
    lines = {1: ROWS, 2: COLUMNS, 3: ROWS, 4: COLUMNS, 5: DIAGONALS, 6: ROWS, 7: COLUMNS, 9: DIAGONALS}
    lines |= {8: ROWS + COLUMNS + DIAGONALS, 10: ROWS, 11: COLUMNS, 12: ROWS, 13: COLUMNS}
    allowed = []
    for action in position.legal_actions():
        mine, theirs = after(position, action)

        def any_line(test, mine=mine, theirs=theirs):
            counts = [[len(player & set(line)) for player in (own, mine, opp, theirs)] for line in lines[rule]]
            return any(test(*count) for count in counts)

        if rule in (1, 2):
            found = any_line(lambda a, b, c, d: a == 0 and b > 0)
        elif rule in (3, 4, 5):
            found = any_line(lambda a, b, c, d: b == 5)
        elif rule in (6, 7, 8, 9):
            found = threatens(opp, own, lines[rule]) and threatens(theirs, mine, lines[rule]) == (rule == 8)
        elif rule in (10, 11):
            found = any_line(lambda a, b, c, d: a >= 3 and b > a)
        elif rule in (12, 13):
            found = any_line(lambda a, b, c, d: c >= 3 and d < c)
        else:
            found = True
        allowed += [action] if found else []
    return allowed


def marked(rule, position):
    _, lines, _, marks = RulesPolicy().memory(GAME, np.zeros(14))
    any_allowed = write_allowed_actions(GAME, rule - 1, np.uint64(position.own), np.uint64(position.opp), lines, marks)
    assert any_allowed == bool(marks.any())
    return np.flatnonzero(marks).tolist()


@pytest.mark.extended
@pytest.mark.parametrize("rule", range(1, 15))
def test_rules_allow_the_actions_of_plain_python(rule):
    """The positions are late, so they contain lines of three and four."""
    positions = [p for p in POSITIONS if p.own.bit_count() + p.opp.bit_count() >= 12][
        :: 12 if rule in (6, 7, 8, 9) else 4
    ]
    found = 0
    for position in positions:
        expected = plain_actions(rule, position)
        assert marked(rule, position) == expected
        found += bool(expected)
    assert found or rule in (1, 2, 5, 9)
    assert {1: 44, 2: 44, 14: 44}.get(rule, 0) == len(marked(rule, Position.start(GAME)))


def test_hand_made_positions():
    """The opponent has four cubes in the first column, and the player to move has four in the last row."""
    position = Position.from_text(GAME, "O..../O..../O..../O..../.XXXX X")
    assert all("a5" in position.action_name(action) for action in marked(3, position))
    assert marked(3, position)
    assert marked(4, position) == marked(5, position) == marked(6, position) == marked(9, position) == []
    blocked = marked(7, position)
    assert sorted(blocked + marked(8, position)) == sorted(position.legal_actions())
    assert blocked


def test_rules_are_drawn_by_their_weights_among_those_that_allow_an_action():
    position = Position.from_text(GAME, "O..../O..../O..../O..../.XXXX X")
    weights = np.full(14, 1e-9)
    weights[[2, 3, 6]] = 0.3, 0.5, 0.2  # the second rule allows no action here
    agent = rules_agent(GAME, weights, 0)
    actions = agent.act_batch(batch_of([position] * 4000)).tolist()
    rows, blocks = set(marked(3, position)), set(marked(7, position))
    share = sum(action in rows for action in actions) / 4000
    expected = 0.6 + 0.4 * len(rows & blocks) / len(blocks)
    assert set(actions) <= rows | blocks
    assert share == pytest.approx(expected, abs=0.04)


def test_without_an_allowed_action_play_is_random():
    position = POSITIONS[5]
    genome = np.zeros(3)  # rules 1 to 3
    while any(marked(rule, position) for rule in (1, 2, 3)):
        position = next(p for p in POSITIONS if not any(marked(rule, p) for rule in (1, 2, 3)))
    words = np.array([[position.own, position.opp]] * 400, dtype=np.uint64)
    actions = RulesPolicy().compiled(GAME, genome).choose(GAME, words, np.arange(400, dtype=np.uint64))
    assert set(actions.tolist()) == set(position.legal_actions())


def test_the_evolution_strategy_on_a_known_fitness():
    """The parent changes only if a child is better, and the run ends after floor(epochs^0.6) epochs without one."""
    settings = Settings(50, 7, 9, 6, 0.3, 0.1)
    assert settings.patience == 10
    assert [settings.sigma(epoch) for epoch in (0, 49)] == pytest.approx([0.3, 0.1])
    seen = []

    def fitness(weights, games, rng):
        assert games == 7
        assert weights.sum() == pytest.approx(1)
        seen.append(float(weights[2]))
        return round(seen[-1], 2)

    best, curve = evolve(settings, fitness, np.random.default_rng(0))
    rounded = [round(value, 2) for value in seen]
    assert curve[0] == rounded[0]
    expected, parent, without = [rounded[0]], seen[0], 0
    for epoch in range(len(curve) - 1):
        children = seen[1 + 6 * epoch : 7 + 6 * epoch]
        top = max(children, key=lambda value: round(value, 2))
        without += 1
        if round(top, 2) > expected[-1]:
            parent, without = top, 0
        expected.append(max(expected[-1], round(top, 2)))
    assert curve == expected
    assert len(seen) == 1 + 6 * (len(curve) - 1)
    assert without == 10 or len(curve) == 51
    assert best[2] == parent


def test_the_bad_rule_starts_heavier():
    firsts = []
    for seed in range(40):
        evolve(Settings(1, 1, 8, 1, 0, 0), lambda w, n, rng: firsts.append(w) or 0.0, np.random.default_rng(seed))
    others = np.delete(firsts[::2], 7, axis=1)
    ratios = np.array(firsts[::2])[:, 7] / others.mean(axis=1)
    assert np.exp(0.1) < ratios.min() < np.exp(0.3)
    assert np.exp(0.6) < ratios.max() < np.exp(0.8)
    assert softmax(np.array([0, np.log(3)])) == pytest.approx([0.25, 0.75])


def test_wins_as_published_with_all_rules():
    """94 of 100 games against random, moving first; 84 moving second; 10 against alpha-beta."""
    rng, random_agent = np.random.default_rng(0), make_agent("random", GAME, seed=0)
    weights = np.full(14, 1 / 14)
    assert 0.84 <= share_won(weights, 500, rng, random_agent) <= 0.97
    assert 0.78 <= share_won(weights, 500, rng, random_agent, seat=1) <= 0.92
    alpha_beta = make_agent("report:D2:depth2", GAME, seed=0)
    assert 0.03 <= share_won(weights, 100, rng, alpha_beta, seat=1) <= 0.27


def test_the_agent_of_the_section():
    agent = make_agent("report:D5", GAME, seed=0)
    assert len(agent.genome) == len(RULES)
    for position, action in zip(POSITIONS[::10], agent.act_batch(batch_of(POSITIONS[::10])), strict=True):
        assert action in position.legal_actions()
    record = play_match(GAME, agent, make_agent("random", GAME, seed=1), 300, swap_seats=False).sides[0].total
    assert record.wins / 300 == pytest.approx(0.9, abs=0.07)
    with pytest.raises(ValueError, match=r"report:D5 plays Quixo\(size=5\), not Quixo\(size=4\)"):
        make_agent("report:D5", Quixo(4))
