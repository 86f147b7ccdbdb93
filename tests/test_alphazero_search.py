"""The search with a network: equality with a slow search, independence of other searches, and decided positions."""

import numpy as np
import pytest
from oracles.puct import SlowSearch
from playing import leaves_the_board, random_positions, words_seen

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo
from ci_envs.agents.alphazero.gumbel import halving_table
from ci_envs.agents.alphazero.search import Forest
from ci_envs.agents.alphazero.settings import SELECTIONS, SearchSettings
from ci_envs.kernels.bits import bit_counts

GAMES = (ConnectN(3, 3, 3), ConnectN(4, 5, 3, True), Quixo(5), Nim((2, 3, 4), 2, True), Quarto())


class HashedNetwork:
    """Return random logits, values and draws that depend only on the position."""

    def __init__(self, game, spread=1.0):
        self.game, self.spread = game, spread
        self.seen = 0

    def of(self, own, opp):
        rng = np.random.default_rng([own, opp])
        logits = self.spread * rng.normal(size=self.game.action_count)
        value = np.float32(np.tanh(self.spread * rng.normal()))
        return logits.astype(np.float32), value, np.float32(self.spread * rng.random() * (1 - abs(value)))

    def __call__(self, planes):
        self.seen += len(planes)
        words = words_seen(self.game, planes)
        logits, values, draws = zip(*(self.of(own, opp) for own, opp in words.tolist()), strict=True)
        return np.array(logits), np.array(values), np.array(draws)


def words_of(positions):
    return np.array([(position.own, position.opp) for position in positions], dtype=np.uint64)


def seeds_of(positions, seed=0):
    return np.random.default_rng(seed).integers(2**64, size=len(positions), dtype=np.uint64)


def shares_of(root, best):
    """Return the shares of the visits of open actions, or only the best proven draw if all open actions look worse."""
    if root.children[best].closed:
        return {action: float(action == best) for action in root.children}
    visits = {action: child.visits * (not child.closed) for action, child in root.children.items()}
    return {action: count / sum(visits.values()) for action, count in visits.items()}


@pytest.mark.extended
@pytest.mark.parametrize("leaves", [1, 5])
@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_it_searches_as_a_slow_search_does(game, selection, leaves):
    """35 positions each of 5 games with 3 selections and 2 numbers of leaves, 1,050 searches."""
    positions, network = random_positions(game, 35, seed=3), HashedNetwork(game)
    settings = SearchSettings(SELECTIONS[selection], 1.3, 40, 6, prior_temperature=1.7, leaves=leaves)
    rng = np.random.default_rng(5)
    noise, contempt = rng.gumbel(size=(len(positions), game.action_count)), rng.random(len(positions))
    seeds, forest = seeds_of(positions), Forest(game, settings, len(positions))
    found = forest.search(words_of(positions), seeds, network, contempt=contempt, gumbel=noise)
    for i, position in enumerate(positions):
        slow = SlowSearch(
            position,
            int(seeds[i]),
            lambda seen: network.of(seen.own, seen.opp),
            selection=selection,
            exploration=1.3,
            simulations=40,
            considered=6,
            flat=1.7,
            noise=noise[i],
            halving=halving_table(6, 40),
            contempt=contempt[i],
            leaves=leaves,
        )
        expected = {action: child.visits for action, child in slow.root.children.items()}
        assert {action: found.visits[i, action] for action in expected} == expected
        assert found.visits[i].sum() == sum(expected.values())
        if slow.root.is_proven:
            assert found.values[i] == slow.root.lower
            assert found.policy[i].max() == 1
        else:
            assert found.values[i] == pytest.approx(slow.root.total / slow.root.visits)
            assert found.draws[i] == pytest.approx(slow.drawn / slow.root.visits)
            assert found.contempt[i] == pytest.approx(slow.contempt_now())
            assert found.costs[i] == pytest.approx(slow.cost / slow.root.visits)
            if selection == "gumbel":
                logits = slow.improved_logits()
                weights = {action: np.exp(logit - max(logits.values())) for action, logit in logits.items()}
                expected = {action: weight / sum(weights.values()) for action, weight in weights.items()}
            else:
                expected = shares_of(slow.root, int(found.actions[i]))
            assert found.policy[i][list(expected)] == pytest.approx(list(expected.values()))
        assert found.policy[i].sum() == pytest.approx(1)


@pytest.mark.extended
@pytest.mark.parametrize("leaves", [1, 5])
@pytest.mark.parametrize("selection", ["puct", "ucb"])
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_search_with_kept_trees_equals_a_slow_search_with_kept_trees(game, selection, leaves):
    """15 games from random positions with the best actions, in lock-step: up to four searches that continue each."""
    network, continued = HashedNetwork(game), 0
    settings = SearchSettings(SELECTIONS[selection], 1.3, 40, leaves=leaves)
    positions = random_positions(game, 15, seed=3)
    forest = Forest(game, settings, len(positions), keeps_trees=True)
    seeds = np.arange(len(positions), dtype=np.uint64)
    found = forest.search(words_of(positions), seeds, network)
    searches = [
        SlowSearch(
            position,
            int(seed),
            lambda seen: network.of(seen.own, seen.opp),
            selection=selection,
            exploration=1.3,
            simulations=40,
            considered=0,
            flat=1,
            noise=(),
            halving=(),
            contempt=0,
            leaves=leaves,
        )
        for position, seed in zip(positions, seeds, strict=True)
    ]
    for _ in range(4):
        positions = [position.play(int(action)) for position, action in zip(positions, found.actions, strict=True)]
        goes_on = [
            number
            for number, (position, slow) in enumerate(zip(positions, searches, strict=True))
            if position.result is None and slow.find(position) is not None
        ]
        positions, searches = ([each[number] for number in goes_on] for each in (positions, searches))
        forest.move(np.array(goes_on, np.int64))
        seeds = seeds[goes_on] + np.uint64(100)
        found = forest.search(words_of(positions), seeds, network)
        for i, (position, slow) in enumerate(zip(positions, searches, strict=True)):
            slow.continue_below(position, int(seeds[i]))
            continued += 1
            expected = {action: child.visits for action, child in slow.root.children.items()}
            assert {action: found.visits[i, action] for action in expected} == expected
            if slow.root.is_proven:
                assert found.values[i] == slow.root.lower
            else:
                assert found.values[i] == pytest.approx(slow.root.total / slow.root.visits)
                assert found.draws[i] == pytest.approx(slow.drawn / (slow.root.visits - slow.kept))
    assert continued > 25


def test_a_position_outside_the_kept_tree_gets_a_new_tree():
    game, network = ConnectN(3, 3, 3), HashedNetwork(ConnectN(3, 3, 3))
    first, second = words_of([Position.from_text(game, "XO./.../... X")]), words_of([Position.start(game)])
    settings, seeds = SearchSettings(simulations=30), seeds_of([1])
    keeping, new = Forest(game, settings, 1, keeps_trees=True), Forest(game, settings, 1)
    keeping.search(first, seeds, network)
    for words in (second, second):  # a second search of the same position does not continue either
        for kept, expected in zip(
            keeping.search(words, seeds, network), new.search(words, seeds, network), strict=True
        ):
            np.testing.assert_array_equal(kept, expected)


def test_a_kept_root_gets_new_noise():
    """Noise that is all on one action, with a share of 1, leaves no other prior."""
    game = ConnectN(3, 3, 3)
    network, seeds, start = HashedNetwork(game), seeds_of([1]), Position.start(game)
    forest = Forest(game, SearchSettings(simulations=60), 1, keeps_trees=True)
    found = forest.search(words_of([start]), seeds, network)
    position = start.play(int(found.actions[0]))
    action = position.legal_actions()[3]
    gammas = np.full((1, 9), 1e-300)
    gammas[0, action] = 1.0
    forest.search(words_of([position]), seeds, network, dirichlet=(gammas, 1.0))
    root, nodes = forest.tree(0)[0], forest.tree(0)
    children = nodes[root["first"] : root["first"] + root["children"]]
    assert {int(child["action"]): float(child["prior"]) for child in children} == pytest.approx(
        {legal: float(legal == action) for legal in position.legal_actions()}
    )


@pytest.mark.extended
@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_256_trees_in_lock_step_are_256_trees(game, selection):
    positions, network = random_positions(game, 256, seed=4), HashedNetwork(game)
    settings = SearchSettings(SELECTIONS[selection], 2.0, 25, 8, leaves=3)
    words, seeds = words_of(positions), seeds_of(positions)
    together = Forest(game, settings, 256).search(words, seeds, network)
    alone = Forest(game, settings, 1)
    for i in range(256):
        found = alone.search(words[i : i + 1], seeds[i : i + 1], network)
        for whole, one in zip(together, found, strict=True):
            np.testing.assert_array_equal(whole[i : i + 1], one)


@pytest.mark.extended
@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("game", GAMES, ids=str)
def test_wins_and_losses_at_hand_are_found_whatever_the_network_says(game, selection):
    positions = random_positions(game, 400, seed=6)
    winning = {position: wins for position in positions if (wins := winning_actions(position))}
    lost = [position for position in positions if is_lost_at_once(position)]
    chosen = [*winning, *lost]
    settings = SearchSettings(SELECTIONS[selection], 1.5, 1 + 2 * game.action_count**2)
    forest = Forest(game, settings._replace(simulations=min(settings.simulations, 3000)), len(chosen))
    found = forest.search(words_of(chosen), seeds_of(chosen), HashedNetwork(game, spread=0))
    for i, position in enumerate(chosen):
        assert found.values[i] == (1 if position in winning else -1)
        assert position in lost or found.actions[i] in winning[position]
    assert len(chosen) > 10


@pytest.mark.parametrize(
    ("game", "lookahead", "count"),
    [
        (GAMES[0], 2, 300),
        (GAMES[0], 4, 300),
        (GAMES[1], 3, 100),
        (GAMES[2], 2, 60),
        (GAMES[3], 5, 60),
        (GAMES[4], 3, 15),
    ],
    ids=str,
)
def test_positions_decided_within_the_lookahead_are_proven_at_once(game, lookahead, count):
    """The values are those of the position and of the position after its single simulation."""
    positions = random_positions(game, count, seed=7)
    forest = Forest(game, SearchSettings(simulations=1, lookahead=lookahead), count)
    found = forest.search(words_of(positions), seeds_of(positions), HashedNetwork(game, spread=0))
    known = 0
    for position, value, action in zip(positions, found.values.tolist(), found.actions.tolist(), strict=True):
        decided = decided_within(position, lookahead)
        known += decided != 0
        if decided:
            assert value == decided
            assert decided < 0 or decided_after(position, action, lookahead - 1) == 1
        elif abs(value) == 1:
            assert value == decided_within(position, lookahead + 1)
    assert known > count / 20


def decided_within(position, plies):
    """Return 1 if the player to move can win within ``plies`` plies, -1 if the opponent can, otherwise 0."""
    if position.result is not None or plies == 0:
        return position.result or 0
    best = -1
    for action in position.legal_actions():
        best = max(best, decided_after(position, action, plies - 1))
        if best == 1:
            break
    return best


def decided_after(position, action, plies):
    after = position.play(action)
    return decided_within(after, plies) * (1 if after.to_move == position.to_move else -1)


def winning_actions(position):
    following = {action: position.play(action) for action in position.legal_actions()}
    return [action for action, after in following.items() if wins(position, after)]


def wins(before, after):
    return after.result is not None and after.result * (1 if after.to_move == before.to_move else -1) == 1


def is_lost_at_once(position):
    """Return whether every action loses, or lets the opponent win with the next action."""
    replies = [position.play(action) for action in position.legal_actions()]
    return all(
        reply.to_move != position.to_move
        and (reply.result == 1 or (reply.result is None and bool(winning_actions(reply))))
        for reply in replies
    )


def test_in_quarto_the_value_keeps_its_sign_between_placement_and_gift():
    """The network prefers pieces in hand with an even number. The placing player wants to give an odd piece."""
    game = Quarto()
    position = next(p for p in random_positions(game, 50, seed=9) if p.to_move == p.play(p.legal_actions()[0]).to_move)

    def even_hand(planes):
        words = words_seen(game, planes)
        movers = [Position(game, *row) for row in words.tolist()]
        values = np.array([value_of(mover) for mover in movers], dtype=np.float32)
        return np.zeros((len(planes), game.action_count), np.float32), values, np.zeros(len(planes), np.float32)

    def value_of(mover):
        gives = all(after.to_move != mover.to_move for after in map(mover.play, mover.legal_actions()))
        return 0.5 if gives else -0.5  # good for the player who gives, bad for the player who places

    found = Forest(game, SearchSettings(simulations=60), 1).search(
        words_of([position]), seeds_of([position]), even_hand
    )
    placed = position.play(int(found.actions[0]))
    assert placed.to_move == position.to_move
    assert -0.5 <= found.values[0] <= 0.5
    first = Forest(game, SearchSettings(simulations=1), 1).search(words_of([position]), seeds_of([position]), even_hand)
    assert first.values[0] == pytest.approx(0)  # -0.5 for the placing player, then +0.5 for this player


def waits(position):
    return [action for action in position.legal_actions() if leaves_the_board(position, action)]


def would_wait(game, value_of, draw_of):
    """Return a network that prefers actions without a change of the board, with values by the numbers of cubes."""

    def evaluate(planes):
        words = words_seen(game, planes)
        logits = np.zeros((len(planes), game.action_count), np.float32)
        for row, (own, opp) in zip(logits, words.tolist(), strict=True):
            row[waits(Position(game, own, opp))] = 2
        own, opp = bit_counts(words).T.astype(int)
        return logits, value_of(own, opp).astype(np.float32), draw_of(own, opp).astype(np.float32)

    return evaluate


def share_of_waits(game, contempt, value_of, is_chosen, draw_of=lambda own, opp: 0 * own):
    """Return the share of positions in which the search waits, among positions in which both players can wait."""
    chosen = [
        position
        for position in random_positions(game, 4000, seed=8)
        if is_chosen(position.own.bit_count(), position.opp.bit_count())
        and any(waits(position.play(action)) for action in waits(position))
    ]
    assert len(chosen) > 10
    forest, contempts = Forest(game, SearchSettings(), len(chosen)), np.full(len(chosen), contempt)
    network = would_wait(game, value_of, draw_of)
    found = forest.search(words_of(chosen), seeds_of(chosen), network, contempt=contempts)
    return np.mean([action in waits(one) for one, action in zip(chosen, found.actions.tolist(), strict=True)])


def test_the_better_player_avoids_repetitions():
    """More cubes have a larger value."""
    assert share_of_waits(Quixo(5), 0.0, lambda own, opp: np.sign(own - opp) / 2, lambda own, opp: own > opp + 3) == 0


@pytest.mark.extended
def test_with_contempt_a_risk_is_better_than_a_repetition():
    """The player who takes a blank cube first gets a worse position. Waiting is 0, or the worst with contempt."""
    options = (lambda own, opp: 0.4 * (own + opp > 16), lambda own, opp: own + opp == 16)
    assert share_of_waits(Quixo(5), 0.0, *options) > 0.15
    assert share_of_waits(Quixo(5), 0.9, *options) == 0


def test_with_contempt_a_draw_that_the_network_expects_is_worse_than_even():
    """The value is for the player to move at the root, independent of the player to move at the leaf."""
    game = Quixo()

    def evaluate(planes):
        values, draws = np.full(len(planes), 0.2, np.float32), np.full(len(planes), 0.5, np.float32)
        return np.zeros((len(planes), game.action_count), np.float32), values, draws

    words, contempt = words_of([Position.start(game)]), np.array([0.4])
    found = Forest(game, SearchSettings(simulations=1), 1).search(words, seeds_of([1]), evaluate, contempt=contempt)
    assert found.values[0] == pytest.approx((0.2 - 0.2 + -0.2 - 0.2) / 2)
    assert found.draws[0] == 0.5


@pytest.mark.parametrize(("value", "contempt"), [(0.3, 0.8), (0.0, 0.8), (-0.25, 0.4), (-0.5, 0.0), (-0.9, 0.0)])
def test_contempt_decreases_as_the_position_gets_worse_than_even(value, contempt):
    """All of the contempt for the value 0, half of it for -1/4, nothing for -1/2 or less.

    The player at the root has the same value in every position, which ends in a draw with probability 0.3.
    """
    game = Quixo()

    def evaluate(planes):
        sign = 1 if seen[0] == 0 else -1  # the root is evaluated before its child
        seen[0] += 1
        values, draws = np.full(len(planes), sign * value, np.float32), np.full(len(planes), 0.3, np.float32)
        return np.zeros((len(planes), game.action_count), np.float32), values, draws

    seen, start = [0], words_of([Position.start(game)])
    found = Forest(game, SearchSettings(simulations=1), 1).search(
        start, seeds_of([1]), evaluate, contempt=np.array([0.8])
    )
    assert found.contempt[0] == pytest.approx(contempt)
    assert found.costs[0] == pytest.approx(0.3 * contempt)
    assert found.values[0] == pytest.approx(value - 0.3 * contempt)


def test_the_network_is_asked_for_nothing_that_is_proven():
    game, network = ConnectN(3, 3, 3), HashedNetwork(ConnectN(3, 3, 3))
    position = Position.from_text(game, "XX./OO./... X")
    assert position.play(2).result is not None
    found = Forest(game, SearchSettings(simulations=100), 1).search(words_of([position]), seeds_of([position]), network)
    assert network.seen == 0
    assert found.actions[0] == 2
    assert found.policy[0].tolist() == [float(action == found.actions[0]) for action in range(9)]


def test_noise_changes_the_priors_of_the_root_alone():
    game = ConnectN(3, 3, 3)
    words = words_of([Position.start(game)])
    gammas = np.zeros((1, 9))
    gammas[0, 5] = 3.0
    forest = Forest(game, SearchSettings(exploration=100.0, simulations=90), 1)
    found = forest.search(words, seeds_of([1]), HashedNetwork(game, spread=0), dirichlet=(gammas, 0.5))
    assert found.visits[0, 5] == pytest.approx(90 * (0.5 + 0.5 / 9), abs=3)
    assert np.delete(found.visits[0], 5) == pytest.approx(np.full(8, 90 * 0.5 / 9), abs=1)


def test_simulations_are_shared_out_by_sequential_halving():
    """Figure 1 of Danihelka et al. 2022: 16 actions, 200 simulations: 16 x 3, 8 x 6, 4 x 12, about 2 x 28."""
    visits = np.zeros(16, int)
    for wanted in halving_table(16, 200)[16]:
        visits[np.flatnonzero(visits == wanted)[0]] += 1
    assert sorted(visits.tolist(), reverse=True)[:2] == [visits.max()] * 2
    assert np.bincount(visits, minlength=4)[3] == 8
    assert visits.sum() == 200
    assert halving_table(1, 4)[1].tolist() == [0, 1, 2, 3]
    assert halving_table(2, 4)[2].tolist() == [0, 0, 1, 1]


def test_gumbel_noise_draws_actions_from_the_policy():
    """With as many simulations as actions and a constant value, the action is a sample from the priors."""
    game, rng = ConnectN(3, 3, 3), np.random.default_rng(2)
    logits = np.log(np.arange(1.0, 10)).astype(np.float32)

    def evaluate(planes):
        zeros = np.zeros(len(planes), np.float32)
        return np.tile(logits, (len(planes), 1)), zeros, zeros

    words = words_of([Position.start(game)] * 9000)
    forest = Forest(game, SearchSettings(SELECTIONS["gumbel"], 1.5, 1, 1), 9000)
    found = forest.search(words, seeds_of(range(9000)), evaluate, gumbel=rng.gumbel(size=(9000, 9)))
    counts = np.bincount(found.actions, minlength=9)
    assert counts == pytest.approx(9000 * np.arange(1, 10) / 45, abs=150)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda logits, values, draws: (logits.astype(np.float64), values, draws),
        lambda logits, values, draws: (logits[:, :-1], values, draws),
        lambda logits, values, draws: (np.asfortranarray(np.repeat(logits, 2, axis=0)), values, draws),
        lambda logits, values, draws: (logits, values[:, np.newaxis], draws),
        lambda logits, values, draws: (logits, values, np.repeat(draws, 2)[::2]),
    ],
    ids=["float64", "actions", "rows", "columns", "strides"],
)
def test_outputs_of_a_wrong_type_are_refused_before_compiled_code_reads_them(wrong):
    game = ConnectN(3, 3, 3)
    network, positions = HashedNetwork(game), [Position.start(game)] * 2
    forest = Forest(game, SearchSettings(simulations=3), 2)
    search = words_of(positions), seeds_of(positions)

    def evaluate(planes):
        return wrong(*network(planes))

    expected = r"C-contiguous arrays of float32 with the shapes \(\(2, 9\), \(2,\), \(2,\)"
    for _ in range(2):
        with pytest.raises(ValueError, match=expected):
            forest.search(*search, evaluate)
    forest.search(*search, network)
