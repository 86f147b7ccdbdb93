"""Tabular Q-learning and Monte Carlo: rules, runs, files, and learned values."""

import csv
import json
import pickle
import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from click.testing import CliRunner
from oracles.tabular import SlowLearner, advantage, image_of_action, least_image, schedule_value
from playing import batch_of, random_positions
from toy_agents import Broken, OutOfRange, RandomInPython

import ci_envs
from ci_envs import ConnectN, Nim, Position, Quixo, make_agent, solve, training
from ci_envs.agents.tabular import training as tabular_training
from ci_envs.agents.tabular.agent import read_table, write_table
from ci_envs.agents.tabular.episodes import CONSTANT, EXPONENTIAL, LINEAR, Rule, Schedule, _explore
from ci_envs.agents.tabular.episodes import schedule_value as compiled_scheduled
from ci_envs.agents.tabular.monte_carlo import MonteCarloAgent
from ci_envs.agents.tabular.q_learning import QLearningAgent
from ci_envs.agents.tabular.value_table import find_or_insert, mask_illegal, new_table
from ci_envs.arena.match import play_match
from ci_envs.cli.main import main
from ci_envs.kernels.compiler import kernel
from ci_envs.registry.agents import AGENTS
from ci_envs.registry.games import resolve
from ci_envs.solver.solution import keep_value
from ci_envs.training import ladder

TICTACTOE = ConnectN(3, 3, 3)
LEARNERS = ("q_learning", "monte_carlo")


@pytest.fixture(autouse=True)
def _toys(monkeypatch):
    """Toy agents as opponents in training."""
    toys = {"broken": Broken, "illegal": OutOfRange, "random_in_python": RandomInPython}
    monkeypatch.setattr(AGENTS, "registered", toys)


SHORT = {"ladder": ("random",), "ladder_games": 2, "table_mb": 8}


def train(folder, method="q_learning", environment="TicTacToe-v0", episodes=1000, **options):
    """Return the agent of a run, without measurements."""
    spec = training.train(method, environment, output=folder, episodes=episodes, **(SHORT | options))
    return make_agent(spec, environment, seed=0)


def file_of(folder, method="q_learning", environment="TicTacToe-v0"):
    return read_table(folder / "best.npz", resolve(environment)[1], method)


def rows_of(file):
    keys = [(own, opp) for own, opp in file.keys.tolist()]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, file.values.tolist(), strict=True))


def run(*arguments):
    return CliRunner().invoke(main, arguments)


@cache
def positions_of(game):
    """Return every reachable position in which the game is not over."""
    seen, frontier = {}, [Position.start(game)]
    while frontier:
        position = frontier.pop()
        if position.result is None and (position.own, position.opp) not in seen:
            seen[position.own, position.opp] = position
            frontier += [position.play(action) for action in position.legal_actions()]
    return list(seen.values())


@cache
def keeping_actions(game):
    """Return the actions that keep the value of each position, bool (positions, actions)."""
    words = np.array([(position.own, position.opp) for position in positions_of(game)], dtype=np.uint64)
    return keep_value(solve(game).action_scores(words))


def mistakes(agent):
    """Return the number of positions in which an action that the agent can play loses value."""
    wrong = 0
    for position, keeping in zip(positions_of(agent.game), keeping_actions(agent.game), strict=True):
        values = agent.action_values(position.own, position.opp)
        wrong += not keeping[values == values.max()].all()
    return wrong


Q, MC = "q_learning", "monte_carlo"
GRAVITY = "ConnectN-v0:rows=4,cols=5,n=3,gravity=true"
SHORT_QUIXO = "Quixo-v0:size=3,max_cycles=40"


@pytest.mark.extended
@pytest.mark.parametrize(
    ("environment", "method", "options"),
    [
        ("TicTacToe-v0", Q, {}),
        ("TicTacToe-v0", Q, {"symmetries": True, "random_plies": 6, "initial_spread": 0.1}),
        ("TicTacToe-v0", Q, {"exploration": "softmax", "opponent": "random", "shaping": "lines", "discount": 0.9}),
        ("TicTacToe-v0", Q, {"shaping": "potential", "discount": 0.8, "initial": 0.5, "schedule": "constant"}),
        ("TicTacToe-v0", Q, {"schedule": "exponential", "epsilon": 0.5, "epsilon_end": 0.001, "opponent": "random"}),
        pytest.param(
            "TicTacToe-v0", Q, {"epsilon": 0, "epsilon_end": 0, "initial": 2, "seed": 2**64 - 1}, marks=pytest.mark.slow
        ),
        pytest.param("TicTacToe-v0", MC, {"discount": 0.9}, marks=pytest.mark.slow),
        ("TicTacToe-v0", MC, {"visits": "every", "shaping": "potential", "discount": 0.9, "symmetries": True}),
        pytest.param(
            "TicTacToe-v0", MC, {"values": "state", "shaping": "lines", "epsilon": 0.3}, marks=pytest.mark.slow
        ),
        ("TicTacToe-v0", MC, {"values": "state", "symmetries": True, "exploration": "softmax", "initial": -0.1}),
        pytest.param(
            "TicTacToe-v0",
            MC,
            {"values": "state", "opponent": "random", "random_plies": 3, "initial_spread": 0.5},
            marks=pytest.mark.slow,
        ),
        pytest.param("Nim-v0:heaps=2,2,3,misere=true", Q, {"epsilon": 0.4}, marks=pytest.mark.slow),
        ("Nim-v0:heaps=2,2,3,misere=true", MC, {"symmetries": True, "values": "state"}),
        pytest.param(
            "Nim-v0:heaps=2,2,3,misere=true",
            Q,
            {"symmetries": True, "exploration": "softmax", "opponent": "random"},
            marks=pytest.mark.slow,
        ),
        (SHORT_QUIXO, Q, {"symmetries": True, "random_plies": 12}),
        pytest.param(SHORT_QUIXO, Q, {"shaping": "potential", "opponent": "random"}, marks=pytest.mark.slow),
        pytest.param(SHORT_QUIXO, MC, {"shaping": "lines", "discount": 0.8, "epsilon": 0.3}, marks=pytest.mark.slow),
        (SHORT_QUIXO, MC, {"visits": "every", "symmetries": True, "epsilon": 0.3}),
        (SHORT_QUIXO, Q, {"shaping": "longest_run", "opponent": "random", "seat": "second", "epsilon": 0.3}),
        ("TicTacToe-v0", MC, {"shaping": "longest_run", "schedule_delay": 0.75, "discount": 0.5}),
        ("TicTacToe-v0", Q, {"opponent": "random", "seat": "first"}),
        pytest.param(
            SHORT_QUIXO,
            MC,
            {"visits": "every", "values": "state", "symmetries": True, "epsilon": 0.3},
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "Quarto-v0",
            Q,
            {"episodes": 60, "opponent": "random", "discount": 0.9, "epsilon": 0.3},
            marks=pytest.mark.slow,
        ),
        ("Quarto-v0", Q, {"episodes": 60, "random_plies": 20, "exploration": "softmax"}),
        ("Quarto-v0", MC, {"episodes": 60, "values": "state", "discount": 0.9, "random_plies": 31}),
        pytest.param(
            GRAVITY, Q, {"symmetries": True, "exploration": "softmax", "shaping": "lines"}, marks=pytest.mark.slow
        ),
        pytest.param(
            GRAVITY, MC, {"visits": "every", "opponent": "random", "shaping": "potential"}, marks=pytest.mark.slow
        ),
    ],
)
def test_a_slow_learner_in_python_learns_the_same_bit_for_bit(tmp_path, environment, method, options):
    options = {"seed": 7, "episodes": 500, "discount": 0.97, **options}
    train(tmp_path, method, environment, **options)
    file = file_of(tmp_path, method, environment)

    _, game, env_options = resolve(environment)
    episodes, kind, delay = options.pop("episodes"), options.pop("schedule", "linear"), options.pop("schedule_delay", 0)
    alphas = 0.3, 0.02
    rates = options.pop("epsilon", 1.0), options.pop("epsilon_end", 0.05)
    slow = SlowLearner(
        game, options.pop("seed"), method=method, max_plies=env_options.get("max_cycles", 2048), **options
    )
    for episode in range(episodes):
        progress = episode / episodes
        slow.play_episode(schedule_value(kind, *alphas, progress, delay), schedule_value(kind, *rates, progress, delay))
    assert rows_of(file) == slow.table
    assert file.notes["reached"] == [episodes, slow.dice.state]
    last = list(csv.DictReader((tmp_path / "curve.csv").open()))[-1]
    assert float(last["mean_error"]) == pytest.approx(slow.mean_error(), abs=1e-5)
    assert int(last.get("won", 0)) == slow.won


@pytest.mark.parametrize(("method", "first"), [(Q, 0.175), (MC, 0.85)])
def test_an_episode_worked_by_hand_in_nim(tmp_path, monkeypatch, method, first):
    """One heap of 3. The values below make each player take one object: 3, 2, 1, 0, and player 0 has won.

    With the learning rate 1/2 and the discount 0.9, Q-learning changes
        in 3: 0.8 + 1/2 (0.9 * -0.5 - 0.8) = 0.175, since what player 0 meets at its next turn is the heap of 1
        in 1: -0.5 + 1/2 (1 + 0.5) = 0.25, a win
        in 2: 0.6 + 1/2 (-1 - 0.6) = -0.2, a loss
    and Monte Carlo, for which the return in 3 is 0.9 * 1,
        in 3: 0.8 + 1/2 (0.9 - 0.8) = 0.85, and the other two alike.
    """
    begin_with(monkeypatch, Nim([3]), {(3, 0): [0.8, 0.4, 0.2], (2, 0): [0.6, 0.1, 0], (1, 0): [-0.5, 0, 0]})
    options = {"learning_rate": 0.5, "learning_rate_end": 0.5, "discount": 0.9, "epsilon": 0, "epsilon_end": 0}
    agent = train(tmp_path, method, "Nim-v0:heaps=3", 1, **options)
    expected = {3: [first, 0.4, 0.2], 2: [-0.2, 0.1], 1: [0.25]}
    for heap, values in expected.items():
        assert agent.action_values(heap, 0)[: len(values)] == pytest.approx(values)


@pytest.mark.parametrize(
    ("shaping", "discount", "of_x", "of_o"),
    [
        # X: 0.25 for the first stone, 0.25 for two in the column, nothing for the third stone, -1 for the loss
        # O: 0.25 for the first stone, 0.25 for two in the diagonal, 0.25 for three, +1 for the win
        ("lines", 1, [-0.5, -0.75, -1], [1.75, 1.5, 1.25]),
        # lines of X, then of O, where X is to move: 0 0, 1 1, 2 2; where O is: 0 1, 1 2, 2 2
        # potentials of X: 0, 0, 0; of O: -0.25, -0.25, 0. Rewards of O: 0.25 - 0.125, 0.25 + 0, 0 + 1
        ("potential", 0.5, [-0.25, -0.5, -1], [0.125 + 0.125 + 0.25, 0.25 + 0.5, 1]),
        # runs of X and of O at the turns of X: 0 0, 1 1, 2 2, at the end 2 3; of O: 1 0, 2 1, 2 2, at the end 2 3
        ("longest_run", 1, [-1.75, -1.75, -0.75 - 1], [0.75 + 1.75, 0.75 + 1.75, 0.75 + 1]),
        (None, 0.5, [-0.25, -0.5, -1], [0.25, 0.5, 1]),
    ],
)
def test_shaped_returns_worked_by_hand(tmp_path, monkeypatch, shaping, discount, of_x, of_o):
    """X a1, O b2, X a2, O a3, X b1, O c1: O has the diagonal. With the learning rate 1 a value is the return."""
    played, position = [], Position.start(TICTACTOE)
    for name in ("a1", "b2", "a2", "a3", "b1", "c1"):
        action = position.parse_action(name)
        played.append((position, action))
        position = position.play(action)
    begin_with(
        monkeypatch, TICTACTOE, {(p.own, p.opp): [9.0 * (number == a) for number in range(9)] for p, a in played}
    )
    options = {"learning_rate": 1, "learning_rate_end": 1, "epsilon": 0, "epsilon_end": 0}
    agent = train(tmp_path, MC, episodes=1, shaping=shaping, discount=discount, **options)
    learned = [agent.action_values(position.own, position.opp)[action] for position, action in played]
    assert learned[::2] == pytest.approx(of_x)
    assert learned[1::2] == pytest.approx(of_o)


def begin_with(monkeypatch, game, rows):
    """Let runs start with a table with these values."""

    def prepared(columns, megabytes):
        table = new_table(columns, megabytes)
        for (own, opp), values in rows.items():
            row, *_ = find_or_insert(table, np.uint64(own), np.uint64(opp), 0.0, 0.0, np.uint64(0), 0)
            table["values"][row] = values
            mask_illegal(game, table[row])
        return table

    monkeypatch.setattr(tabular_training, "new_table", prepared)


@pytest.mark.extended
@pytest.mark.parametrize(("method", "options"), [(Q, {}), (MC, {}), (MC, {"visits": "every"})])
def test_a_potential_moves_every_value_by_itself_alone(tmp_path, method, options):
    """Ng, Harada and Russell 1999: the same play, of which nothing depends on the values, gives Q less the potential.

    With the learning rate 1 nothing is left of the initial values, which are not moved.
    """
    fixed = {"schedule": "constant", "learning_rate": 1, "epsilon": 1, "discount": 0.9, **options}
    plain = train(tmp_path / "none", method, episodes=300_000, **fixed)
    shaped = train(tmp_path / "potential", method, episodes=300_000, shaping="potential", **fixed)
    compared = 0
    for position in positions_of(TICTACTOE):
        before, after = (agent.action_values(position.own, position.opp) for agent in (plain, shaped))
        legal = np.isfinite(before)
        np.testing.assert_allclose(after[legal], before[legal] - advantage(position), atol=1e-5)
        compared += legal.sum()
    assert compared == 16_167


def test_the_values_of_schedules():
    assert compiled_scheduled(Schedule(LINEAR, 1.0, 0.3, 0.5), 0.75) == pytest.approx(0.65)
    assert [compiled_scheduled(Schedule(LINEAR, 1.0, 0.3, 0.5), p) for p in (0.0, 0.5)] == [1.0, 1.0]
    assert compiled_scheduled(Schedule(LINEAR, 1.0, 0.3, 1.0), 1.0) == 1.0
    for kind, name in ((CONSTANT, "constant"), (LINEAR, "linear"), (EXPONENTIAL, "exponential")):
        for progress in (0.0, 0.3, 0.5, 1.0):
            expected = schedule_value(name, 0.8, 0.2, progress)
            assert compiled_scheduled(Schedule(kind, 0.8, 0.2), progress) == pytest.approx(expected)
    assert compiled_scheduled(Schedule(LINEAR, 0.8, 0.2), 0.5) == pytest.approx(0.5)
    assert compiled_scheduled(Schedule(EXPONENTIAL, 0.8, 0.2), 0.5) == pytest.approx(0.4)
    assert compiled_scheduled(Schedule(EXPONENTIAL, 0.8, 0.2), 1.0) == pytest.approx(0.2)


@kernel
def _explored(game, rule, values, best, rate, counts, state):
    for _ in range(counts.sum()):
        action, state = _explore(game, rule, np.uint64(0), np.uint64(0), values, best, rate, state)
        counts[len(values) + action] += 1
    return state


def frequencies(values, rate, *, softmax, draws=100_000):
    """Return the number of times that each action of the initial position of tic-tac-toe is explored."""
    rule = Rule(0, False, False, 0, softmax, 1.0, 0.0, 0.0, 0, -1, 9)
    counts = np.zeros(18, np.int64)
    counts[0] = draws
    _explored(TICTACTOE, rule, np.array(values), max(values), rate, counts, np.uint64(3))
    return counts[9:] / draws


VALUES = [0.5, 0.4, 0.0, -1.0, 0.5, 0.1, 0.2, 0.3, -0.5]


@pytest.mark.parametrize("temperature", [0.05, 0.5, 10.0])
def test_softmax_explores_as_often_as_it_says(temperature):
    expected = np.exp(np.array(VALUES) / temperature)
    expected /= expected.sum()
    assert frequencies(VALUES, temperature, softmax=True) == pytest.approx(expected, abs=0.007)


def test_the_coldest_softmax_is_greedy_and_does_not_overflow():
    for temperature in (1e-3, 1e-300, 5e-324):
        drawn = frequencies(VALUES, temperature, softmax=True)
        assert drawn[[0, 4]] == pytest.approx([0.5, 0.5], abs=0.01)
        assert drawn.sum() == pytest.approx(drawn[[0, 4]].sum())
    assert frequencies(VALUES, 1e300, softmax=True) == pytest.approx(np.full(9, 1 / 9), abs=0.007)


def test_epsilon_greedy_explores_as_often_as_it_says():
    expected = np.full(9, 0.3 / 9)
    expected[[0, 4]] += 0.35
    assert frequencies(VALUES, 0.3, softmax=False) == pytest.approx(expected, abs=0.007)


def test_optimism_explores_without_chance(tmp_path):
    greedy = {"epsilon": 0, "epsilon_end": 0, "discount": 0.9}
    for initial, tries_all in ((2, True), (-2, False)):
        agent = train(tmp_path / str(initial), initial=initial, **greedy)
        assert (agent.action_values(0, 0) != initial).all() == tries_all


def test_initial_values_are_uniform_around_the_middle(tmp_path):
    train(tmp_path, episodes=2000, initial=0.5, initial_spread=0.2, learning_rate=1e-12, learning_rate_end=1e-12)
    values = file_of(tmp_path).values
    values = values[values != 0]  # of legal actions
    assert values.min() == pytest.approx(0.3, abs=0.01)
    assert values.max() == pytest.approx(0.7, abs=0.01)
    assert np.histogram(values, 4, (0.3, 0.7))[0] / values.size == pytest.approx(np.full(4, 0.25), abs=0.02)


def test_broken_off_games_are_draws(tmp_path):
    train(tmp_path, environment="Quixo-v0:size=3,max_cycles=4", episodes=2000)
    file = file_of(tmp_path, environment="Quixo-v0:size=3")
    assert not file.values.any()
    assert len(file.keys) > 100
    assert max((own | opp).bit_count() for own, opp in file.keys.tolist()) <= 3


def test_random_plies_begin_where_little_is_left(tmp_path):
    train(tmp_path, episodes=50, random_plies=1000)
    assert min((own | opp).bit_count() for own, opp in file_of(tmp_path).keys.tolist()) >= 2


# --- symmetries


def test_symmetric_positions_share_values(tmp_path):
    agent = train(tmp_path, episodes=100_000, symmetries=True)
    for position in random_positions(TICTACTOE, 200, seed=1):
        values = agent.action_values(position.own, position.opp)
        _, to_least = least_image(position)
        for symmetry, image in enumerate(position.symmetries):
            seen = agent.action_values(image.own, image.opp)
            if least_image(image)[1] == 0 and symmetry == to_least:
                moved = [seen[image_of_action(TICTACTOE, symmetry, action)] for action in range(9)]
                assert moved == values.tolist()
            assert sorted(seen) == sorted(values)


@pytest.mark.extended
@pytest.mark.parametrize(("symmetries", "positions"), [(True, 627), (False, 4520)])
def test_a_table_has_one_row_for_each_position_up_to_symmetry(tmp_path, symmetries, positions):
    """Tic-tac-toe has 765 different positions, 138 of them final; 5,478 and 958 with all images."""
    agent = train(tmp_path, episodes=600_000, symmetries=symmetries, random_plies=8, epsilon_end=0)
    file = file_of(tmp_path)
    assert len(file.keys) == positions
    if symmetries:
        assert all(least_image(Position(TICTACTOE, *key))[0] == tuple(key) for key in file.keys.tolist())
    assert max(agent.action_values(0, 0)) == pytest.approx(0, abs=0.25)


# --- memory


def test_a_learner_that_has_no_turn_learns_nothing(tmp_path):
    train(tmp_path, Q, "Nim-v0:heaps=1", opponent="random", seat="second", episodes=10)
    assert {line["mean_error"] for line in csv.DictReader((tmp_path / "curve.csv").open())} == {"0.0"}


def test_a_full_table_is_an_error_and_a_larger_table_resumes(tmp_path):
    for table_mb in (0.001, 0.05):
        with pytest.raises(ValueError, match=r"the table is full: \d+ positions; increase table_mb"):
            train(tmp_path / "small", episodes=2000, table_mb=table_mb)
        assert (tmp_path / "small" / "best.npz").exists() == (table_mb == 0.05)
    with pytest.raises(ValueError, match=r"table_mb=0.001 is too small for \d+ positions"):
        train(tmp_path / "small", episodes=2000, table_mb=0.001, resume=True)
    train(tmp_path / "small", episodes=2000, resume=True)
    train(tmp_path / "large", episodes=2000)
    assert (tmp_path / "small" / "best.npz").read_bytes() == (tmp_path / "large" / "best.npz").read_bytes()


def test_a_table_stores_all_entries_until_it_is_full():
    table = new_table(2, 0.001)
    room, count = len(table) * 7 // 8, 0
    for number in range(room):
        row, _, count = find_or_insert(table, np.uint64(number), np.uint64(7), 0.5, 0.0, np.uint64(0), count)
        table["values"][row, 1] = number
    assert find_or_insert(table, np.uint64(room), np.uint64(7), 0.5, 0.0, np.uint64(0), count)[0] == -1
    for number in range(room):
        row, _, count = find_or_insert(table, np.uint64(number), np.uint64(7), 0.5, 0.0, np.uint64(0), count)
        assert table["values"][row].tolist() == [0.5, number]
    assert count == room
    assert table.nbytes <= 0.001 * 2**20


# --- runs


def test_a_seed_repeats_and_another_does_not(tmp_path):
    for folder, seed in (("a", 1), ("b", 1), ("c", 2), ("d", 2**63 + 1)):
        train(tmp_path / folder, seed=seed)
    a, b, c, d = ((tmp_path / folder / "best.npz").read_bytes() for folder in "abcd")
    assert a == b
    assert len({a, c, d}) == 3


@pytest.mark.extended
@pytest.mark.parametrize("opponent", ["self", "minimax:depth=1", "random_in_python"])
@pytest.mark.parametrize("method", LEARNERS)
def test_an_interrupted_run_ends_with_the_same_files(tmp_path, monkeypatch, method, opponent):
    """A signal during compiled code is handled after the return of the call, before its result is bound."""
    options = {"opponent": opponent, "episodes": 2000, "initial_spread": 0.1}
    train(tmp_path / "whole", method, **options)
    for name, after in (("play_episodes", 17), ("play_episodes", 1), ("play_match", 9)):
        folder = tmp_path / f"{name}{after}"
        with monkeypatch.context() as patched:
            module = tabular_training if name == "play_episodes" else ladder
            patched.setattr(module, name, interrupted(getattr(module, name), after))
            with pytest.raises(KeyboardInterrupt):
                train(folder, method, **options)
        train(folder, method, **options, resume=True)
        for file in ("best.npz", "curve.csv"):
            assert (folder / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()


def interrupted(function, after):
    calls = iter(range(1, after + 1))

    def call(*arguments, **options):
        result = function(*arguments, **options)
        if next(calls) == after:
            raise KeyboardInterrupt
        return result

    return call


def test_an_interrupt_within_an_episode_leaves_the_last_checkpoint(tmp_path, monkeypatch):
    options = {"opponent": "random_in_python", "episodes": 500}
    train(tmp_path / "whole", **options)
    with monkeypatch.context() as patched:
        patched.setattr(RandomInPython, "act_batch", interrupted(RandomInPython.act_batch, 900))
        with pytest.raises(KeyboardInterrupt):
            train(tmp_path / "broken", **options)
    assert 0 < file_of(tmp_path / "broken").notes["reached"][0] < 500
    train(tmp_path / "broken", **options, resume=True)
    whole, broken = ((tmp_path / folder / "best.npz").read_bytes() for folder in ("whole", "broken"))
    assert whole == broken


def results(folder):
    return [(folder / file).read_bytes() for file in ("best.npz", "curve.csv")]


@pytest.mark.extended
def test_an_interrupted_process_resumes(tmp_path):
    """The signal comes after the first checkpoint. test_training_runs.py kills a process of each learner."""
    code = """
import signal, sys, time
from ci_envs.agents.tabular import training
from ci_envs.cli.main import main
def play_and_wait(*arguments, play=training.play_episodes, calls=[]):
    calls.append(play(*arguments))
    if len(calls) == 2:
        print("waiting", flush=True)
        while True:
            time.sleep(0.01)  # signal.pause() would not return if the signal came just before it
    return calls[-1]
training.play_episodes = play_and_wait
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts background jobs with SIGINT ignored
main(["train", "q_learning", "TicTacToe-v0", "--episodes", "2000", "--output", sys.argv[1], *sys.argv[2:]])
"""
    settings = ["--set", "ladder=random", "--set", "ladder_games=2"]
    command = [sys.executable, "-c", code, str(tmp_path / "broken"), *settings]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 1
    assert "--resume to continue" in errors
    assert 0 < file_of(tmp_path / "broken").notes["reached"][0] < 2000
    train(tmp_path / "broken", episodes=2000, resume=True)
    train(tmp_path / "whole", episodes=2000)
    assert results(tmp_path / "broken") == results(tmp_path / "whole")


def test_files_of_a_run(tmp_path):
    opponents = ("random", "minimax:depth=1")
    train(tmp_path, episodes=1001, ladder=opponents)
    files = {path.name for path in tmp_path.iterdir() if "tfevents" not in path.name}
    assert files == {"config.json", "checkpoint.npz", "best.npz", "curve.csv"}
    lines = list(csv.DictReader((tmp_path / "curve.csv").open()))
    outcomes = [[f"{opponent} {outcome}" for outcome in ("won", "drawn", "lost")] for opponent in opponents]
    assert list(lines[0]) == ["episodes", "positions", "mean_error", "rating", *outcomes[0], *outcomes[1]]
    assert [int(line["episodes"]) for line in lines] == [*range(20, 1001, 20), 1001]
    assert all(sum(int(line[name]) for name in names) == 2 for line in lines for names in outcomes)
    assert int(lines[-1]["positions"]) == len(file_of(tmp_path).keys)


def test_the_learning_curve_rises(tmp_path):
    train(tmp_path, episodes=50_000, ladder_games=200)
    lost = [int(line["random lost"]) for line in csv.DictReader((tmp_path / "curve.csv").open())]
    assert sum(lost[:3]) > 10
    assert sum(lost[-3:]) <= 3


def test_a_finished_run_that_is_resumed_is_left_alone(tmp_path):
    train(tmp_path)
    before = (tmp_path / "best.npz").read_bytes()
    train(tmp_path, resume=True)
    assert (tmp_path / "best.npz").read_bytes() == before


def test_numbers_of_numpy_are_options_too(tmp_path):
    train(tmp_path, episodes=np.int64(100), seed=np.uint64(3), learning_rate=np.float32(0.25))
    train(tmp_path, episodes=100, seed=3, learning_rate=0.25, resume=True)


# --- opponents


@pytest.mark.extended
@pytest.mark.parametrize("opponent", ["random", "minimax:depth=1", "exact", "random_in_python"])
@pytest.mark.parametrize("method", LEARNERS)
def test_learning_from_an_opponent(tmp_path, method, opponent):
    agent = train(tmp_path, method, episodes=5000, opponent=opponent, epsilon_end=0)
    random, other = make_agent("random", TICTACTOE, seed=1), make_agent(opponent, TICTACTOE, seed=2)
    lost, lost_at_random = (play_match(TICTACTOE, one, other, 500).sides[0].total.losses for one in (agent, random))
    assert lost < 0.5 * lost_at_random


@pytest.mark.extended
def test_learning_from_another_learner(tmp_path):
    train(tmp_path / "teacher", MC)
    agent = train(tmp_path / "pupil", episodes=5000, opponent=f"monte_carlo:{tmp_path / 'teacher' / 'best.npz'}")
    assert len(file_of(tmp_path / "pupil").keys) > 100
    assert agent.action_values(0, 0).max() > 0.5


def test_against_random_play_both_seats_are_learned(tmp_path):
    train(tmp_path, episodes=1000, opponent="random")
    stones = {(own | opp).bit_count() % 2 for own, opp in file_of(tmp_path).keys.tolist()}
    assert stones == {0, 1}


def test_an_opponent_that_fails_or_cheats_stops_the_run(tmp_path):
    with pytest.raises(ValueError, match=r"the opponent broken fails: .*a bug"):
        train(tmp_path, opponent="broken")
    with pytest.raises(ValueError, match="the opponent process:false fails: ended with exit status 1"):
        train(tmp_path, opponent="process:false")
    with pytest.raises(ValueError, match=r"on the ladder ends with an error: .*a bug"):
        train(tmp_path / "ladder", episodes=10, ladder=("broken",))
    with pytest.raises(ValueError, match="the opponent illegal played an illegal action"):
        train(tmp_path, opponent="illegal")
    assert not (tmp_path / "best.npz").exists()


# --- bad input


@pytest.mark.parametrize(
    ("learner", "environment", "mentions"),
    [
        ("q_learning:learning_rate=0", "TicTacToe-v0", ("learning_rate", "above 0", "0")),
        ("q_learning:learning_rate=1.5", "TicTacToe-v0", ("learning_rate", "at most 1", "1.5")),
        ("q_learning:learning_rate_end=-0.1", "TicTacToe-v0", ("learning_rate_end", "-0.1")),
        ("q_learning:learning_rate=none", "TicTacToe-v0", ("learning_rate", "None")),
        ("q_learning:learning_rate=nan", "TicTacToe-v0", ("learning_rate", "nan")),
        ("q_learning:schedule=cosine", "TicTacToe-v0", ("schedule", "linear", "exponential", "'cosine'")),
        ("q_learning:schedule=exponential,epsilon_end=0", "TicTacToe-v0", ("exponential", "above 0")),
        ("q_learning:exploration=ucb", "TicTacToe-v0", ("exploration", "softmax", "'ucb'")),
        ("q_learning:epsilon=1.1", "TicTacToe-v0", ("epsilon", "from 0 to 1", "1.1")),
        ("q_learning:epsilon=none", "TicTacToe-v0", ("epsilon", "None")),
        ("q_learning:exploration=softmax,temperature=0", "TicTacToe-v0", ("temperature", "above 0")),
        ("q_learning:discount=1.01", "TicTacToe-v0", ("discount", "from 0 to 1")),
        ("q_learning:initial=none", "TicTacToe-v0", ("initial", "None")),
        ("q_learning:initial=inf", "TicTacToe-v0", ("initial", "inf")),
        ("q_learning:initial_spread=-1", "TicTacToe-v0", ("initial_spread", "-1")),
        ("q_learning:random_plies=-1", "TicTacToe-v0", ("random_plies", "-1")),
        ("q_learning:random_plies=none", "TicTacToe-v0", ("random_plies", "None")),
        ("q_learning:symmetries=1", "TicTacToe-v0", ("symmetries", "true or false", "1")),
        ("q_learning:symmetries=true", "Quarto-v0", ("symmetries", "64", "12288")),
        ("q_learning:shaping=lines", "Nim-v0", ("shaping", "lines")),
        ("q_learning:shaping=longest_run", "Nim-v0", ("shaping", "lines")),
        ("q_learning:seat=first", "TicTacToe-v0", ("seat=first", "an opponent")),
        ("q_learning:opponent=random,seat=third", "TicTacToe-v0", ("seat", "second", "'third'")),
        ("q_learning:schedule_delay=2", "TicTacToe-v0", ("schedule_delay", "from 0 to 1", "2")),
        ("q_learning:shaping=more", "TicTacToe-v0", ("shaping", "potential", "'more'")),
        ("monte_carlo:shaping=potential,values=state", "TicTacToe-v0", ("shaping=potential", "values=action")),
        ("q_learning:values=state", "TicTacToe-v0", ("'values'", "q_learning", "learning_rate")),
        ("q_learning:visits=every", "TicTacToe-v0", ("'visits'", "q_learning", "learning_rate")),
        ("monte_carlo:visits=some", "TicTacToe-v0", ("visits", "every", "'some'")),
        ("monte_carlo:values=none", "TicTacToe-v0", ("values", "state", "'none'")),
        ("q_learning:opponent=nobody", "TicTacToe-v0", ("'nobody'", "minimax")),
        ("q_learning:opponent=none", "TicTacToe-v0", ("'none'", "minimax")),
        ("q_learning:opponent=nim_expert", "TicTacToe-v0", ("Nim",)),
        ("q_learning:table_mb=0.0001", "TicTacToe-v0", ("table_mb=0.0001", "too small", "0.00085")),
        ("q_learning:table_mb=0", "TicTacToe-v0", ("table_mb", "above 0")),
        ("q_learning:table_mb=none", "TicTacToe-v0", ("table_mb", "None")),
        ("q_learning:depth=3", "TicTacToe-v0", ("'depth'", "learning_rate")),
        ("q_learning", "Hex-v0", ("'Hex-v0'",)),
        ("q_learning", "Nim-v0 --seed 18446744073709551616", ("seed", "18446744073709551616")),
        ("q_learning", "Nim-v0 --steps 5", ("q_learning has no option --steps. Use --episodes.",)),
        ("q_learning", "Nim-v0 --workers 2", ("q_learning has no option --workers. Remove --workers.",)),
        ("q_learning", "Nim-v0 --resume", ("no run", "to resume")),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(tmp_path, learner, environment, mentions):
    folder = tmp_path / "run"
    result = run("train", learner, *environment.split(), "--episodes", "10", "--output", str(folder))
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1
    assert all(mention in result.stderr for mention in mentions), result.stderr
    assert not folder.exists()


@pytest.mark.extended
def test_length_and_folder_have_defaults(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    quick = ("--set", "ladder_games=2", "--set", "ladder=random", "--set", "measurements=1")
    result = run("train", "q_learning", "Nim-v0:heaps=1,2", *quick)
    assert result.exit_code == 0, result.output
    assert "Default length: 1,000,000 episodes. The option episodes changes it." in result.stderr
    folder = Path("runs", "q_learning-Nim-v0-heaps-1-2")
    assert json.loads((folder / "config.json").read_text())["options"]["episodes"] == 1_000_000
    assert f"trained: q_learning:{folder / 'best.npz'}" in result.stdout


def test_a_run_is_not_overwritten_and_not_continued_as_another(tmp_path):
    train(tmp_path)
    with pytest.raises(ValueError, match=r"there is a run in .* already: resume it"):
        train(tmp_path)
    with pytest.raises(ValueError, match=r"other options: episodes=1000 \(not 2000\), discount=None \(not 0\.9\)$"):
        train(tmp_path, episodes=2000, discount=0.9, resume=True)
    with pytest.raises(ValueError, match=r"other options: environment=TicTacToe-v0 \(not Nim-v0\)$"):
        train(tmp_path, environment="Nim-v0", resume=True)
    with pytest.raises(ValueError, match=r"other options: learner=q_learning \(not monte_carlo\)"):
        train(tmp_path, MC, resume=True)


class Trap:
    """An object that writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.fixture
def table(tmp_path):
    train(tmp_path / "run", "q_learning", "Nim-v0:heaps=3", 20)
    return tmp_path / "run" / "best.npz"


NIM = Nim((3,))


def refusal(path, content=None):
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a valid table file: ") as caught:
        QLearningAgent(NIM, path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_table_of_another_game_method_or_version_is_refused(table):
    with pytest.raises(ValueError, match=r"not of q_learning for Nim\(heaps=\(1, 3\)"):
        QLearningAgent(Nim((1, 3)), table)
    with pytest.raises(ValueError, match="not of monte_carlo for"):
        MonteCarloAgent(NIM, table)
    with np.load(table) as file:
        arrays = dict(file)
    about = json.loads(arrays["about"].tobytes()) | {"format": "ci_envs table 2"}
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez(table, **arrays)
    assert "its format is 'ci_envs table 2', not 'ci_envs table 1'" in refusal(table)


def test_a_damaged_table_is_refused(table):
    content = table.read_bytes()
    whole = read_table(table, NIM, "q_learning")
    for end in range(0, len(content) - 1, 13):
        refusal(table, content[:end])
    noticed = 0
    for place in range(len(content)):
        table.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        try:
            file = read_table(table, NIM, "q_learning")
        except ValueError:
            noticed += 1
        else:  # for example a date
            assert (file.rule, file.notes) == (whole.rule, whole.notes)
            assert (file.keys.tobytes(), file.values.tobytes()) == (whole.keys.tobytes(), whole.values.tobytes())
    assert noticed > 0.7 * len(content)


def test_a_table_that_does_not_fit_itself_is_refused(table):
    with np.load(table) as file:
        arrays = dict(file)
    keys, values = arrays["keys"], arrays["values"]
    for name, wrong in (
        ("keys", keys.astype(np.int64)),
        ("keys", keys[:-1]),
        ("keys", keys[:, :1]),
        ("keys", np.uint64(3)),
        ("values", values.astype(np.float64)),
        ("values", values[:, :-1]),
        ("values", np.full_like(values, np.nan)),
        ("about", np.frombuffer(b"[]", np.uint8)),
        ("about", np.frombuffer(b"{}", np.uint8)),
        ("about", np.zeros(3)),
    ):
        np.savez(table, **(arrays | {name: wrong}))
        refusal(table)
    np.savez(table, keys=keys, values=values)
    refusal(table)


def test_nothing_is_unpickled(table, tmp_path):
    trap = tmp_path / "sprung"
    with np.load(table) as file:
        arrays = dict(file)
    for name in arrays:
        np.savez(table, **(arrays | {name: np.array([Trap(trap)], dtype=object)}))
        refusal(table)
    np.save(tmp_path / "trap.npy", np.array([Trap(trap)], dtype=object), allow_pickle=True)
    refusal(tmp_path / "trap.npy")
    refusal(table, pickle.dumps(Trap(trap)))
    refusal(table, b"")
    refusal(table, b"no table at all")
    assert not trap.exists()


def test_a_table_that_cannot_be_read_is_one_line(tmp_path):
    result = run("compare", "TicTacToe-v0", "random", f"q_learning:{tmp_path / 'nowhere.npz'}")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_a_table_survives_its_file(tmp_path):
    game, rng = Quixo(5), np.random.default_rng(1)
    rule = Rule(0, False, False, 0, False, 1.0, 0.0, 0.0, 0, -1, 9)
    table = new_table(game.action_count, 1)
    rows = {}
    for own, opp in rng.integers(2**25, size=(500, 2), dtype=np.uint64).tolist():
        row, *_ = find_or_insert(table, np.uint64(own), np.uint64(opp), 0.0, 0.0, np.uint64(0), 0)
        table["values"][row] = rng.normal(size=game.action_count)
        rows[own, opp] = table["values"][row].tolist()
    write_table(tmp_path / "t.npz", "q_learning", game, rule, table, {"a": 1})
    file = read_table(tmp_path / "t.npz", game, "q_learning")
    assert rows_of(file) == rows
    assert file.notes == {"a": 1}
    agent = QLearningAgent(game, tmp_path / "t.npz")
    for (own, opp), values in rows.items():
        seen = agent.action_values(own, opp)
        legal = list(Position(game, own, opp).legal_actions())
        assert seen[legal].tolist() == [values[action] for action in legal]


# --- agents


@pytest.fixture(scope="module")
def spec(tmp_path_factory):
    """An agent with strong play in tic-tac-toe."""
    folder = tmp_path_factory.mktemp("good")
    return training.train("q_learning:symmetries=true", "TicTacToe-v0", output=folder, episodes=300_000, **SHORT)


@pytest.mark.extended
def test_the_command_line_trains_and_plays(tmp_path, spec):
    trained = run("train", "monte_carlo:values=state", "TicTacToe-v0", "--episodes", "2000", "--output", str(tmp_path))
    assert trained.exit_code == 0
    other = trained.stdout.strip().removeprefix("trained: ")
    assert other == f"monte_carlo:{tmp_path / 'best.npz'}"
    compared = run("compare", "TicTacToe-v0", spec, other, "random", "--games", "20")
    assert compared.exit_code == 0
    assert "Elo" in compared.stdout
    played = run("play", "TicTacToe-v0", spec, other)
    assert played.exit_code == 0
    assert "plays" in played.stdout


@pytest.mark.parametrize("seat", [0, 1])
def test_an_opponent_in_every_environment(spec, seat):
    with gymnasium.make("ci_envs/TicTacToe-v0", opponent=spec, seat=seat) as env:
        _, info = env.reset(seed=1)
        over = False
        while not over:
            _, reward, over, _, info = env.step(env.unwrapped.action_space.sample(info["action_mask"]))
    assert reward <= 0
    envs = ci_envs.make_vec("TicTacToe-v0", 64, opponent=spec, seat=seat)
    _, infos = envs.reset(seed=1)
    rewards = []
    rng = np.random.default_rng(0)
    for _ in range(60):
        actions = (infos["action_mask"] * rng.random(infos["action_mask"].shape)).argmax(axis=1)
        _, reward, terminated, _, infos = envs.step(actions)
        rewards += reward[terminated].tolist()
    assert len(rewards) > 300
    assert max(rewards) <= 0
    assert min(rewards) < 0


def test_an_agent_plays_one_of_its_best_actions(spec):
    positions = random_positions(TICTACTOE, 300, seed=2)
    agent = make_agent(spec, TICTACTOE, seed=3)
    for _ in range(3):
        for position, action in zip(positions, agent.act_batch(batch_of(positions)).tolist(), strict=True):
            values = agent.action_values(position.own, position.opp)
            assert values[action] == values.max()
            assert set(np.flatnonzero(np.isfinite(values))) == set(position.legal_actions())


def test_equally_good_actions_are_equally_likely(tmp_path):
    agent = train(tmp_path, episodes=1, initial=0.0)
    start = Position.start(ConnectN(3, 3, 3))
    fresh = QLearningAgent(TICTACTOE, (new_table(9, 1), agent._rule), seed=1)
    counts = np.bincount(fresh.act_batch(batch_of([start] * 9000)), minlength=9)
    assert counts == pytest.approx(np.full(9, 1000), abs=130)


# --- what is learned


@pytest.mark.extended
def test_q_learning_learns_all_of_tic_tac_toe(tmp_path):
    agent = train(tmp_path, episodes=4_000_000, random_plies=8)
    assert len(positions_of(TICTACTOE)) == 4520
    assert mistakes(agent) == 0


@pytest.mark.extended
@pytest.mark.parametrize("options", [{}, {"values": "state"}, {"visits": "every"}])
def test_monte_carlo_does_not_lose_at_tic_tac_toe(tmp_path, options):
    agent = train(tmp_path, MC, episodes=500_000, **options)
    for spec, games in (("random", 5000), ("exact", 2000)):
        side = play_match(TICTACTOE, agent, make_agent(spec, TICTACTOE, seed=1), games).sides[0]
        assert side.total.losses == 0
        assert [seat.games for seat in side.seats] == [games // 2, games // 2]


@pytest.mark.extended
@pytest.mark.parametrize("options", [{"exploration": "softmax"}, {"shaping": "potential"}])
def test_the_options_learn_tic_tac_toe(tmp_path, options):
    agent = train(tmp_path, episodes=500_000, symmetries=True, random_plies=8, **options)
    assert mistakes(agent) == 0


@pytest.mark.extended
@pytest.mark.parametrize("method", LEARNERS)
def test_every_won_position_of_nim_is_played_right(tmp_path, method):
    agent = train(tmp_path, method, "Nim-v0", 700_000, random_plies=12, epsilon=0.5, epsilon_end=0)
    assert len(positions_of(agent.game)) == 383
    assert mistakes(agent) == 0


@pytest.mark.extended
def test_q_learning_learns_quixo_3x3(tmp_path):
    agent = train(tmp_path, environment="Quixo-v0:size=3", episodes=700_000, symmetries=True, random_plies=12)
    assert mistakes(agent) <= 0.01 * len(positions_of(agent.game))


@pytest.mark.extended
def test_a_potential_leaves_the_best_play_as_it_is_and_plain_rewards_for_lines_do_not(tmp_path):
    options = {"environment": "Quixo-v0:size=3", "episodes": 700_000, "symmetries": True, "random_plies": 12}
    hundredth = 0.01 * len(positions_of(Quixo(3)))
    assert mistakes(train(tmp_path / "potential", shaping="potential", **options)) <= hundredth
    assert mistakes(train(tmp_path / "lines", shaping="lines", **options)) > 3 * hundredth


OTHERS = ["Quixo-v0", "Quixo-v0:size=4", "ConnectN-v0", "ConnectFour-v0"]


@pytest.mark.parametrize("environment", ["Quarto-v0", *(pytest.param(id, marks=pytest.mark.slow) for id in OTHERS)])
def test_larger_games_are_learned_too(tmp_path, environment):
    agent = train(tmp_path, environment=environment, episodes=300, table_mb=64)
    assert play_match(agent.game, agent, make_agent("random", agent.game, seed=1), 20).sides[0].faults == 0
