"""Numba finds the types of arguments in Python at most once for each kernel of an agent or environment.

This takes up to 60 us a call, which is more than the work of many kernels.
"""

import copy
import pickle

import gymnasium
import numba
import numpy as np
import pytest
from fake_clock import FakeClock
from numba.core.dispatcher import _DispatcherBase
from playing import random_positions

from ci_envs import ConnectN, Nim, Position, Quarto, Quixo, make, make_agent, make_vec, solve
from ci_envs.agents.alphazero.agent import AlphaZeroAgent
from ci_envs.agents.alphazero.architecture import ARCHITECTURES
from ci_envs.agents.alphazero.network import new_network
from ci_envs.agents.evolution import play_population
from ci_envs.arena import play_match
from ci_envs.arena.grading import Grading

SMALL, TICTACTOE, NIM = Quixo(3), ConnectN(3, 3, 3), Nim((1, 3, 5, 7))
AGENTS = [
    (TICTACTOE, "random"),
    (TICTACTOE, "minimax:depth=2"),
    (TICTACTOE, "minimax:depth=2,time=5"),
    (SMALL, "minimax:depth=2,evaluation=longest_run"),
    (Quixo(), "minimax:depth=1,exact=included"),
    (TICTACTOE, "mcts:simulations=20"),
    (TICTACTOE, "mcts:time=0.5"),
    (TICTACTOE, "mcts:simulations=20,reuse=true"),
    (Quixo(), "mcts:simulations=20,exact=included"),
    (TICTACTOE, "exact"),
    (NIM, "nim_expert"),
    (Quixo(), "neat:quixo"),
    (Quixo(), "evolution_strategy:quixo,depth=1"),
    (Quarto(), "quarto_ga:population=12,generations=2,offspring=5"),
    (TICTACTOE, "alphazero:simulations=8"),
    (Quixo(), "alphazero:simulations=8,exact=included"),
]
agents = pytest.mark.parametrize(("game", "spec"), AGENTS)


@pytest.fixture
def inferences(monkeypatch):
    """A list that gets an entry for each argument whose type is found in Python."""
    found = []

    def counted(function):
        return lambda *arguments: (found.append(type(arguments[-1])), function(*arguments))[1]

    monkeypatch.setattr(_DispatcherBase, "typeof_pyval", counted(_DispatcherBase.typeof_pyval))
    monkeypatch.setattr(numba, "typeof", counted(numba.typeof))
    monkeypatch.setattr("ci_envs.agents.search.mcts.perf_counter", FakeClock(step=1 / 8))
    return found


def rows_of(game, count):
    positions = random_positions(game, count, seed=1)
    return np.array([[position.own, position.opp] for position in positions], dtype=np.uint64)


def test_the_count_sees_a_game_in_a_tuple_and_an_explicit_type(inferences):
    second = numba.njit(lambda pair: pair[1])
    second((SMALL, 1))
    inferences.clear()
    for _ in range(3):
        second((SMALL, 1))
    numba.typeof(SMALL)
    assert inferences == [tuple, tuple, tuple, Quixo]


@pytest.mark.extended
@agents
def test_decisions_infer_no_types(game, spec, inferences):
    agent = make_agent(spec, game, seed=0)
    rows = rows_of(game, 8)
    for _ in range(2):  # the first round may compile
        inferences.clear()
        for row in rows:
            agent.act_on(row[np.newaxis])
        agent.act_on(rows)
    assert not inferences


@agents
def test_analyses_infer_no_types(game, spec, inferences):
    agent = make_agent(spec, game, seed=0)
    if not hasattr(agent, "analyse"):
        return
    positions = random_positions(game, 3, seed=1)
    agent.analyse(positions[0])
    inferences.clear()
    for position in positions:
        agent.analyse(position)
    assert not inferences


@pytest.mark.parametrize("id", ["Quixo-v0", "Quarto-v0"])
def test_steps_of_the_aec_environment_infer_no_types(id, inferences):
    env = make(id)

    def play():
        env.reset()
        while env.agents:
            observation, _, terminated, truncated, _ = env.last()
            space = env.action_space(env.agent_selection)
            env.step(None if terminated or truncated else space.sample(observation["action_mask"]))

    play()
    inferences.clear()
    play()
    assert not inferences


@pytest.mark.parametrize("opponent", [None, "random", "minimax:depth=1", "alphazero:simulations=4", lambda planes: 0])
def test_steps_against_an_opponent_infer_no_types(opponent, inferences):
    single = gymnasium.make("ci_envs/TicTacToe-v0", opponent=opponent).unwrapped
    vector = make_vec("TicTacToe-v0", 4, opponent=opponent, threads=2)

    def step(env):
        _, info = env.reset(seed=0)
        for _ in range(6):
            *_, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
            if np.ndim(terminated) == 0 and (terminated or truncated):
                _, info = env.reset()

    for env in (single, vector):
        step(env)
        inferences.clear()
        step(env)
        assert not inferences


def test_types_inferred_in_a_match_do_not_depend_on_the_number_of_games(inferences):
    solution, counts = solve(TICTACTOE), []
    for games in (4, 4, 40):
        players = [make_agent(spec, TICTACTOE, seed=0) for spec in ("minimax:depth=2", "alphazero:simulations=4")]
        inferences.clear()
        play_match(TICTACTOE, *players, games, grading=solution and Grading(solution))
        counts.append(len(inferences))
    assert counts[1] == counts[2] > 0


def test_types_inferred_in_a_search_do_not_depend_on_the_number_of_simulations(inferences):
    network = new_network(TICTACTOE, ARCHITECTURES["32x3"], 0)
    counts = []
    for simulations in (4, 4, 64):
        inferences.clear()
        AlphaZeroAgent(TICTACTOE, network, simulations=simulations, seed=0).act_on(rows_of(TICTACTOE, 4))
        counts.append(len(inferences))
    assert counts[1] == counts[2] > 0


def test_types_inferred_for_a_population_do_not_depend_on_its_size(inferences):
    player, opponent, counts = (*(make_agent(spec, NIM, seed=0) for spec in ("nim_ga:rows4", "minimax:depth=1")), [])
    for size in (2, 2, 10):
        inferences.clear()
        play_population(NIM, player.genome_policy, np.tile(player.genome, (size, 1)), [opponent], 2, 0)
        counts.append(len(inferences))
    assert counts[1] == counts[2] > 0


def test_a_kernel_with_fixed_types_survives_copies():
    agent = make_agent("minimax:depth=2", TICTACTOE, seed=0)
    rows = rows_of(TICTACTOE, 8)
    agent.act_on(rows)
    copies = [copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))]
    expected = agent.act_on(rows).tolist()
    assert [each.act_on(rows).tolist() for each in copies] == [expected, expected]


def test_a_new_evaluator_is_compiled_again_after_a_decision():
    agent = make_agent("minimax:depth=1", TICTACTOE, seed=0)
    position = Position.start(TICTACTOE)
    before = agent.analyse(position).action_values
    agent.evaluator = make_agent("minimax:evaluation=false", TICTACTOE).evaluator
    assert set(agent.analyse(position).action_values.values()) == {0}
    assert set(before.values()) != {0}
