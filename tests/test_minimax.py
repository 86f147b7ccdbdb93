"""Minimax: the optimisations of the search do not change a value."""

import copy
import os
import pickle
import re
import subprocess
import sys
import threading
from dataclasses import dataclass
from time import sleep

import numpy as np
import pytest
from playing import distinct_actions, observation_of, random_positions

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo, make_agent, solve
from ci_envs.agents.search import minimax
from ci_envs.agents.search.minimax import MinimaxAgent
from ci_envs.agents.search.negamax import NODES
from ci_envs.games import evaluate, implements, popcount

# with the depth up to which the whole tree is small enough
GAMES = (
    (Quixo(3), 4),
    (Quixo(5), 3),
    (ConnectN(3, 3, 3), 5),
    (ConnectN(4, 5, 3, True), 5),
    (Nim((2, 3, 4), 2, True), 4),
    (Quarto(), 3),
    pytest.param(Quixo(2), 4, marks=pytest.mark.slow),
    pytest.param(ConnectN(6, 6, 4), 3, marks=pytest.mark.slow),
    pytest.param(Nim((3, 4, 5)), 4, marks=pytest.mark.slow),
    pytest.param(Quarto(squares=True), 3, marks=pytest.mark.slow),
)


LARGEST_EVALUATION = 999_999 / 1_000_199  # the value of the largest evaluation


def value_of_win(plies):
    return (1_000_000 - plies) / 1_000_000


@pytest.mark.extended
@pytest.mark.parametrize(("game", "depth"), GAMES, ids=str)
def test_pruning_and_table_change_no_value(game, depth):
    plain = MinimaxAgent(game, depth=depth, pruning=False)
    others = [MinimaxAgent(game, depth=depth, table_mb=megabytes) for megabytes in (0, 0.001, 16)]
    nodes = np.zeros(4, dtype=np.int64)
    for position in random_positions(game, 1000, seed=depth):
        expected = plain.analyse(position)
        found = [agent.analyse(position) for agent in others]
        nodes += [expected.nodes, *(analysis.nodes for analysis in found)]
        for analysis in found:
            assert analysis.value == expected.value
            assert analysis.action_values == expected.action_values
    assert nodes[1] < nodes[0]


@pytest.mark.parametrize(
    ("game", "depth", "table_mb", "most"),
    [
        (Quixo(5), 5, 16, 2_251_270),
        (Quixo(5), 5, 0, 5_736_011),
        (ConnectN(4, 5, 3, True), 9, 16, 88_579),
        (ConnectN(4, 5, 3, True), 9, 0, 257_125),
    ],
    ids=str,
)
def test_the_table_and_the_order_of_actions_save_nodes(game, depth, table_mb, most):
    """The limits are those of November 2026. A fault of the table, the killers or the history changes no value."""
    agent = MinimaxAgent(game, depth=depth, table_mb=table_mb)
    assert sum(agent.analyse(position).nodes for position in random_positions(game, 30, seed=1)) <= most


@pytest.mark.parametrize(("game", "depth"), GAMES, ids=str)
def test_the_principal_variation_leads_to_its_value(game, depth):
    agent = MinimaxAgent(game, depth=depth)
    for position in random_positions(game, 100, seed=1):
        analysis = agent.analyse(position)
        end = position
        for action in analysis.principal_variation:
            end = end.play(action)
        sign = 1 if end.to_move == position.to_move else -1
        plies = len(analysis.principal_variation)
        if abs(analysis.value) > LARGEST_EVALUATION:
            assert end.result == sign * np.sign(analysis.value) == sign * analysis.proven
            assert analysis.value == np.sign(analysis.value) * value_of_win(plies)
        else:
            assert analysis.proven is None
            assert end.result in (None, 0)
            assert plies == depth or end.result == 0


@pytest.mark.parametrize("game", [Quixo(size) for size in range(2, 8)], ids=str)
def test_skipped_actions_of_quixo_lead_to_the_same_positions(game):
    left_out = 0
    for position in random_positions(game, 300, seed=game.size):
        following = {action: position.play(action) for action in position.legal_actions()}
        kept = [following[action] for action in distinct_actions(position)]
        assert set(kept) == set(following.values())
        left_out += len(following) - len(kept)
    assert left_out > 300 or game.size == 2  # more than one for each position


def test_node_counts_are_those_of_the_tree_and_repeat():
    agent = MinimaxAgent(ConnectN(3, 3, 3), depth=9, pruning=False)
    assert agent.analyse(Position.start(agent.game)).nodes == 549_946  # all nodes of tic-tac-toe
    agent = MinimaxAgent(Quixo(), depth=5)
    position = Position.start(agent.game)
    first = agent.analyse(position)
    agent.analyse(position.play(7))
    assert agent.analyse(position) == first


def test_a_search_owes_nothing_to_thousands_of_earlier_ones():
    agent = MinimaxAgent(ConnectN(3, 3, 3), depth=3)
    position = Position.start(agent.game)
    first = agent.analyse(position)
    assert all(agent.analyse(position) == first for _ in range(2100))


@pytest.mark.parametrize(
    ("game", "depth"),
    [(ConnectN(3, 3, 3), 9), (Nim((2, 3, 4)), 9), (Nim((2, 3, 4), 2, True), 9), (Quixo(3), 9)],
    ids=str,
)
def test_at_full_depth_it_is_exact(game, depth):
    agent, solution = MinimaxAgent(game, depth=depth), solve(game)
    for position in random_positions(game, 200, seed=3):
        value, distance = solution.value(position), solution.distance(position)
        analysis = agent.analyse(position)
        if value == 0:
            assert abs(analysis.value) < LARGEST_EVALUATION
        else:
            assert analysis.value == value * value_of_win(distance)
            best = max(analysis.action_values.values())
            chosen = tuple(action for action, found in analysis.action_values.items() if found == best)
            assert chosen == solution.best_actions(position)


def test_quixo_3x3_is_won_in_7_plies():
    agent = MinimaxAgent(Quixo(3), depth=10)
    analysis = agent.analyse(Position.start(agent.game))
    assert analysis.value == value_of_win(7)
    agent = MinimaxAgent(Quixo(3), depth=6)
    assert abs(agent.analyse(Position.start(agent.game)).value) < LARGEST_EVALUATION


def stop_after_nodes(count, monkeypatch):
    """Stop searches after a number of nodes instead of their time, and return the list of the times that they had."""
    times = []

    class NodeTimer(threading.Thread):
        def __init__(self, seconds, function, arguments):
            super().__init__()
            times.append(seconds)
            self.work, self.function, self.arguments, self.cancelled = function.__self__, function, arguments, False

        def run(self):
            while self.work[NODES] < count and not self.cancelled:
                sleep(0.001)
            self.function(*self.arguments)

        def cancel(self):
            self.cancelled = True

    monkeypatch.setattr(minimax, "Timer", NodeTimer)
    return times


def test_time_is_kept_and_used(monkeypatch):
    times = stop_after_nodes(1_000_000, monkeypatch)
    agent = make_agent("minimax:time=0.2", Quixo())
    position = Position.start(agent.game)
    analysis = agent.analyse(position)
    shallow = make_agent("minimax:depth=2", Quixo()).analyse(position)
    assert analysis.depth > shallow.depth
    assert analysis.nodes >= 1_000_000
    assert agent.act(observation_of(position)) in position.legal_actions()
    assert times == [0.2, 0.2]


def test_a_decided_game_is_not_searched_further():
    agent = make_agent("minimax:time=60", ConnectN(3, 3, 3))
    analysis = agent.analyse(Position.from_text(agent.game, "XX./OO./... X"))
    assert analysis.value == value_of_win(1)


@dataclass(frozen=True)
class CornerLover(ConnectN):
    """Tic-tac-toe with an evaluation of the top left corner only."""


@implements(evaluate, CornerLover)
def _(game):
    return lambda game, own, opp: np.int64(popcount(own & np.uint64(1))) - np.int64(popcount(opp & np.uint64(1)))


def test_the_evaluation_can_be_replaced():
    agent = MinimaxAgent(ConnectN(3, 3, 3), depth=1)
    agent.evaluator = CornerLover(3, 3, 3)
    analysis = agent.analyse(Position.start(agent.game))
    assert analysis.action_values == {0: 1 / 201} | dict.fromkeys(range(1, 9), 0)
    assert analysis.principal_variation == (0,)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("minimax:time=0", ["time", "0", "above 0"]),
        ("minimax:time=-1", ["time", "-1"]),
        ("minimax:time=soon", ["time", "'soon'"]),
        ("minimax:time=inf", ["time", "inf"]),
        ("minimax:depth=65", ["depth", "65", "1 to 64"]),
        ("minimax:table_mb=-1", ["table_mb", "-1"]),
        ("minimax:pruning=maybe", ["pruning", "'maybe'", "true or false"]),
        ("minimax:time=1,evaluation=longest_run", ["longest_run", "needs a depth"]),
    ],
)
def test_bad_options_are_named(spec, words):
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        make_agent(spec, Quixo())
    for word in words:
        assert word in str(caught.value)


def test_a_finished_or_foreign_position_is_refused():
    agent = MinimaxAgent(ConnectN(3, 3, 3))
    over = Position.from_text(agent.game, "XXX/OO./... O")
    for position, words in ((over, "not over"), (Position.start(Quixo()), r"not for Quixo\(size=5\)")):
        with pytest.raises(ValueError, match=words):
            agent.analyse(position)


@pytest.mark.extended
def test_a_second_process_plays_from_the_cache(tmp_path):
    """Numba's cache fails if compiled functions call each other recursively: the second process would crash."""
    program = (
        "from ci_envs import Nim, Position, make_agent; from ci_envs.agents.search.negamax import negamax\n"
        "agent = make_agent('minimax:depth=4', Nim((3, 4)))\n"
        "print(agent.analyse(Position.start(agent.game)).nodes, sum(negamax.stats.cache_misses.values()))"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    runs = [
        subprocess.run(
            [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True
        ).stdout
        for _ in range(2)
    ]
    (nodes, compiled), (nodes_again, compiled_again) = (map(int, run.split()) for run in runs)
    assert nodes == nodes_again
    assert (compiled, compiled_again) == (1, 0)


def one_ply_choices(position):
    """Return the winning actions, otherwise the actions that do not let the opponent win, otherwise all actions."""

    def wins(position):
        return [a for a in position.legal_actions() if position.play(a).result == -1]

    legal = position.legal_actions()
    safe = [a for a in legal if position.play(a).result is not None or not wins(position.play(a))]
    return wins(position) or safe or list(legal)


@pytest.mark.parametrize(
    "game",
    [
        ConnectN(3, 3, 3),
        *(pytest.param(game, marks=pytest.mark.slow) for game in (ConnectN(6, 7, 4, True), ConnectN(5, 5, 3))),
    ],
    ids=str,
)
def test_without_an_evaluation_it_wins_else_blocks_else_plays_at_random(game):
    draws = 400
    agent = make_agent("minimax:depth=2,evaluation=false", game, seed=0)
    kinds = set()
    for position in random_positions(game, 120, seed=5):
        choices = one_ply_choices(position)
        kinds.add((len(choices) == 1, len(choices) == len(position.legal_actions())))
        seen = {key: np.repeat(value[np.newaxis], draws, axis=0) for key, value in observation_of(position).items()}
        counts = np.bincount(agent.act_batch(seen), minlength=game.action_count)
        assert counts[choices].sum() == draws
        share = draws / len(choices)
        assert abs(counts[choices] - share).max() <= 5 * np.sqrt(share)
    assert {(True, False), (False, True)} <= kinds


def test_without_an_evaluation_all_undecided_actions_have_the_value_0():
    game = ConnectN(3, 3, 3)
    agent = make_agent("minimax:depth=3,evaluation=false", game)
    assert set(agent.analyse(Position.start(game)).action_values.values()) == {0}
    with pytest.raises(ValueError, match="evaluation must be true, false or longest_run, not 'no'"):
        make_agent("minimax:evaluation=no", Quixo())


def longest_run(position, player):
    """Return the longest run of a player's symbol in the rows, columns and two diagonals of a square board."""
    rows = position.to_text().split()[0].split("/")
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    diagonals = ["".join(row[i] for i, row in enumerate(each)) for each in (rows, rows[::-1])]
    runs = (len(run) for line in (*rows, *columns, *diagonals) for run in re.findall("X+|O+", line) if run[0] == player)
    return max(runs, default=0)


def value_by_longest_run(position, depth, player):
    """Return the value of a position for a player: 10 for a win, otherwise by minimax with the longest run."""
    if position.result is not None:
        return 10 * position.result * (1 if position.game.player_name(position.to_move) == player else -1)
    if depth == 0:
        return longest_run(position, player)
    values = [value_by_longest_run(position.play(a), depth - 1, player) for a in position.legal_actions()]
    return max(values) if position.game.player_name(position.to_move) == player else min(values)


@pytest.mark.parametrize("depth", [1, 2])
def test_leaves_can_have_the_longest_run_of_the_searching_player_as_value(depth):
    game = Quixo()
    agent = make_agent(f"minimax:depth={depth},evaluation=longest_run", game)
    plain = make_agent(f"minimax:depth={depth},evaluation=longest_run,pruning=false", game)
    seen = set()
    for position in random_positions(game, 120, seed=depth)[::6]:
        player = game.player_name(position.to_move)
        values = agent.analyse(position).action_values
        assert plain.analyse(position).action_values == values
        for action, value in values.items():
            expected = value_by_longest_run(position.play(action), depth - 1, player)
            # only the sign of a decided game is compared, because our value contains the distance
            run = 200 * value / (1 - abs(value))  # the evaluation e of the value e / (abs(e) + 200)
            assert (round(run, 6) if abs(value) < LARGEST_EVALUATION else 10 * np.sign(value)) == expected
            seen.add(expected)
    assert len(seen) >= 4
    with pytest.raises(ValueError, match="longest_run needs a game on a grid, not Nim"):
        make_agent("minimax:evaluation=longest_run", Nim())


def test_copies_of_an_agent_that_has_played_play_as_it_does():
    position = Position.start(ConnectN(3, 3, 3))
    for spec in ("minimax:depth=2", "minimax:depth=2,evaluation=false"):
        agent = make_agent(spec, position.game, seed=0)
        analysis = agent.analyse(position)
        for copied in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent)):
            assert copied.analyse(position) == analysis
