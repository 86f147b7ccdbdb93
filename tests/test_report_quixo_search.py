"""The Quixo searches of reports A and D, compared with a slow version in plain Python."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from playing import random_positions

from ci_envs import ConnectN, Position, Quixo, make_agent
from ci_envs.arena import play_match
from ci_envs.reports.catalog import agent_makers
from ci_envs.reports.quixo_measurements import games_v_random, move_costs, positions, searcher
from ci_envs.reports.quixo_search import ADAPTIVE, Leaf, Mover, QuixoSearch, QuixoSearchAgent
from ci_envs.reports.report_a.a5 import LITERAL
from ci_envs.reports.report_d.quixo_depths import ALPHA_BETA, MINIMAX

QUIXO = Quixo()
AGENT, OTHER, BLANK = 1, 0, -1
WON, UNSEARCHED = 1000, 10_000


# --- Quixo: a board is a list of 25 symbols


def board_of(position):
    return [AGENT if position.own >> i & 1 else OTHER if position.opp >> i & 1 else BLANK for i in range(25)]


def lines():
    """Return the lines: rows from the top, columns from the left, then the main diagonal and the other diagonal."""
    yield from ([5 * row + col for col in range(5)] for row in range(5))
    yield from ([5 * row + col for row in range(5)] for col in range(5))
    yield [6 * i for i in range(5)]
    yield [4 * (i + 1) for i in range(5)]


def owner_of_first_line(board):
    for line in lines():
        symbols = {board[cell] for cell in line}
        if symbols in ({AGENT}, {OTHER}):
            return symbols.pop()
    return BLANK


def longest_run(board):
    runs = (
        len(list(run))
        for line in lines()
        for own, run in itertools.groupby(board[cell] == AGENT for cell in line)
        if own
    )
    return max(runs, default=0)


def moves(board, player):
    """Return the moves (cell, end) of a player in the order of our actions: by cell, then right, left, down and up."""
    for cell in range(25):
        row, col = divmod(cell, 5)
        if (row in (0, 4) or col in (0, 4)) and board[cell] in (BLANK, player):
            for end in (5 * row + 4, 5 * row, 20 + col, col):
                if end != cell:
                    yield cell, end


def pushed(board, cell, end, player):
    board = list(board)
    step = (1 if cell // 5 == end // 5 else 5) * (1 if end > cell else -1)
    for place in range(cell, end, step):
        board[place] = board[place + step]
    board[end] = player
    return board


class PlainSearch:
    """The search of reports A and D without pruning. It counts its nodes."""

    def __init__(self, mover, run_at_leaves):
        self.mover, self.run_at_leaves, self.nodes = mover, run_at_leaves, 0

    def value(self, board, depth, maximises):
        self.nodes += 1
        owner = owner_of_first_line(board)
        if owner != BLANK:
            return WON if owner == AGENT else -WON
        if depth == 0:
            return longest_run(board) if self.run_at_leaves else 0
        if self.mover == Mover.ALTERNATING:
            player = listed = AGENT if maximises else OTHER
        else:
            player, listed = (AGENT if self.mover == Mover.AGENT else OTHER), AGENT
        values = [
            self.value(pushed(board, *move, player), depth - 1, not maximises) for move in list(moves(board, listed))
        ]
        if maximises:
            return max(values, default=-UNSEARCHED)
        return min(values, default=UNSEARCHED)

    def action_values(self, position, depth):
        board = board_of(position)
        names = {push: action for action, push in enumerate(moves([BLANK] * 25, AGENT))}
        return {
            names[move]: self.value(pushed(board, *move, AGENT), depth, maximises=False) for move in moves(board, AGENT)
        }


def late_positions(count, seed, most_moves):
    found = [each for each in random_positions(QUIXO, 2000, seed) if len(each.legal_actions()) <= most_moves]
    assert len(found) >= count
    return found[:: len(found) // count][:count]


@pytest.mark.parametrize("leaf", [Leaf.ZERO, Leaf.LONGEST_RUN])
@pytest.mark.parametrize("mover", list(Mover))
def test_values_are_those_of_the_plain_search(mover, leaf):
    seen = set()
    cases = [*((each, 1) for each in late_positions(6, 1, 44)), *((each, 2) for each in late_positions(3, 2, 14))]
    for position, depth in cases:
        plain = PlainSearch(mover, leaf == Leaf.LONGEST_RUN)
        expected = plain.action_values(position, depth)
        search = QuixoSearch(depth, mover, leaf, pruning=False)
        agents = [
            QuixoSearchAgent(QUIXO, replace(search, pruning=pruning, shuffled=shuffled), seed=1)
            for pruning in (False, True)
            for shuffled in (False, True)
        ]
        assert all(agent.action_values(position) == expected for agent in agents)
        assert agents[0].nodes == agents[1].nodes == plain.nodes
        assert agents[2].nodes <= plain.nodes
        first_best = max(expected, key=expected.__getitem__)
        assert agents[2].act_on(np.array([[position.own, position.opp]], np.uint64)) == [first_best]
        seen |= set(expected.values())
    assert {WON, -WON} & seen
    assert len(seen) > 1


@pytest.mark.parametrize(
    ("text", "move", "value"),
    [("OXXXX/.OOOO/...../...../..... X", "a5a1", WON), (".OOOO/O..../...../...../.XXXX X", "a1a5", -WON)],
)
def test_of_two_complete_lines_the_first_one_counts(text, move, value):
    """The move completes a row of each player. By our rules it always loses."""
    position, action = Position.from_text(QUIXO, text), QUIXO.action_numbers[move]
    assert position.play(action).result == 1
    assert searcher(QuixoSearch(1, Mover.AGENT)).action_values(position)[action] == value


@pytest.mark.parametrize(("most", "least", "depth"), [(44, 27, 1), (26, 18, 2), (17, 12, 3)])
def test_the_depth_grows_as_the_moves_become_fewer(most, least, depth):
    found = [each for each in random_positions(QUIXO, 3000, 5) if least <= len(each.legal_actions()) <= most][:3]
    assert found
    for position in found:
        adaptive, fixed = (
            QuixoSearchAgent(QUIXO, replace(LITERAL, depth=plies, shuffled=False)) for plies in (ADAPTIVE, depth)
        )
        assert adaptive.action_values(position) == fixed.action_values(position)
        assert adaptive.nodes == fixed.nodes


def test_a_leaf_can_be_a_random_game():
    """Half of the random games are won, and alpha-beta ends a maximising ply at the first won game."""
    search, position = QuixoSearch(2, Mover.AGENT, Leaf.RANDOM_GAME), Position.start(QUIXO)
    nodes = []
    for seed in (1, 1, 2, 4):
        agent = searcher(search, seed)
        assert set(agent.action_values(position).values()) <= {WON, -WON}
        nodes.append(agent.nodes)
    assert nodes[0] == nodes[1]
    assert len(set(nodes)) == 3
    assert np.mean(nodes) == pytest.approx(44 + 44 * 44 * (1 + 2), rel=0.15)


def test_shuffled_moves_break_ties_evenly():
    agent = QuixoSearchAgent(QUIXO, replace(LITERAL, depth=1), seed=3)
    counts = np.bincount(agent.act_on(np.zeros((2200, 2), np.uint64)), minlength=44)
    assert len(set(agent.action_values(Position.start(QUIXO)).values())) == 1
    assert abs(counts - 50).max() < 36  # 5 standard deviations
    unshuffled = QuixoSearchAgent(QUIXO, replace(LITERAL, depth=1, shuffled=False))
    assert unshuffled.act_on(np.zeros((1, 2), np.uint64)) == [0]


@pytest.mark.parametrize(
    ("search", "games", "expected"),
    [
        (LITERAL, 200, 91.8),
        (replace(LITERAL, mover=Mover.ALTERNATING), 200, 99.0),
        (replace(LITERAL, mover=Mover.ALTERNATING, depth=1), 200, 99.5),
        (replace(LITERAL, mover=Mover.ALTERNATING, depth=2), 60, 100.0),
        (MINIMAX, 200, 86.7),
        (replace(MINIMAX, depth=2, pruning=True), 200, 86.7),
        (ALPHA_BETA, 200, 80.0),
        (replace(ALPHA_BETA, depth=2), 200, 100.0),
    ],
)
def test_shares_of_games_won_against_random(search, games, expected):
    """The expected shares are those of report D for 30 games."""
    assert 100 * games_v_random(search, games, seed=1).total.score == pytest.approx(expected, abs=8)


def test_costs_count_the_nodes_of_each_move():
    words = positions(3, seed=1)
    assert [bin(int(own | opp)).count("1") >= least for (own, opp), least in zip(words, (8, 6, 5), strict=True)]
    for search in (LITERAL, "minimax:depth=2", "minimax:depth=2,pruning=false"):
        costs = move_costs(search, words)
        assert len(costs) == 3
        again = searcher(search)
        assert [int(again.act_on(row[np.newaxis])[0]) for row in words] == costs["action"].tolist()
        assert again.nodes == costs["nodes"][-1]


# --- the agents


@pytest.mark.parametrize("name", ["A5", "D1:depth1", "D1:depth2", "D2:depth1", "D2:depth2"])
def test_agents_play_legal_moves_in_both_seats(name):
    match = play_match(QUIXO, make_agent(f"report:{name}", QUIXO, seed=1), make_agent("random", QUIXO, seed=2), 10)
    assert match.sides[0].faults == 0
    assert match.sides[0].seats[0].games == match.sides[0].seats[1].games == 5
    with pytest.raises(ValueError, match="report plays Quixo, not ConnectN"):
        make_agent(f"report:{name}", ConnectN(3, 3, 3))


def test_all_agents_are_there():
    expected = {"A5", *(f"D1:depth{n}" for n in (1, 2, 3)), *(f"D2:depth{n}" for n in (1, 2, 3, 4, 5))}
    assert expected <= set(agent_makers())
