"""Benchmarks of the environments, searches and solvers of ci_envs."""

import itertools
import random
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from ci_envs import Position, Quixo, make, make_agent, make_vec, perft, solve
from ci_envs.agents.search import negamax
from ci_envs.agents.search.mcts import MAX_NODES
from ci_envs.agents.search.mcts_tree import NODE, UCTSettings, simulate, write_root
from ci_envs.agents.search.tables import NO_TABLES
from ci_envs.agents.search.tree import ROOT
from ci_envs.games.game import Game
from ci_envs.games.openings import random_openings
from ci_envs.games.truncation import ply_limit
from ci_envs.games.walk import random_plies
from ci_envs.kernels.compiler import Monomorphic
from ci_envs.registry.games import resolve
from ci_envs.solver.quixo import solve_quixo
from ci_envs.solver.solution import Solution

Work = Callable[[int], int]


def playouts(id: str) -> Work:
    """Return a function that plays games of random actions in compiled code."""
    _, game, options = resolve(id)

    def work(amount: int) -> int:
        random_plies(game, amount, seed=1, max_plies=options.get("max_cycles", 1000))
        return amount

    return work


def playout_plies(id: str) -> Work:
    """Return a function that plays at least a number of random plies in compiled code, in whole games."""
    _, game, options = resolve(id)
    limit = options.get("max_cycles", 1000)

    def work(amount: int) -> int:
        done = 0
        while done < amount:
            done += random_plies(game, 100, seed=done, max_plies=limit)
        return done

    return work


def perft_nodes(id: str, depth: int) -> Work:
    """Return a function that counts at least a number of nodes by repeated :func:`perft_of`."""
    count = perft_of(id, depth)

    def work(amount: int) -> int:
        done = 0
        while done < amount:
            done += count()
        return done

    return work


def perft_of(id: str, depth: int) -> Callable[[], int]:
    """Return a function that counts the sequences of ``depth`` actions from the initial position."""
    position = Position.start(resolve(id)[1])
    return lambda: perft(position, depth)


def aec_steps(env: Any) -> Work:
    """Return a function that runs the loop of a PettingZoo AEC environment: ``last``, a masked sample, ``step``."""

    def work(amount: int) -> int:
        steps = 0
        while steps < amount:
            env.reset()
            while env.agents:
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                else:
                    env.step(env.action_space(env.agent_selection).sample(observation["action_mask"]))
                steps += 1
        return steps

    return work


def aec(id: str) -> Work:
    """Return :func:`aec_steps` for an environment of this package."""
    return aec_steps(make(id))


def single_agent_steps(id: str) -> Work:
    """Return a function that steps the Gymnasium environment with masked samples, against a random opponent."""
    env = gymnasium.make(f"ci_envs/{id}", opponent="random").unwrapped

    def work(amount: int) -> int:
        over = True
        for _ in range(amount):
            if over:
                _, info = env.reset()
            _, _, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
            over = terminated or truncated
        return amount

    return work


def vector_steps(id: str, **options: Any) -> Work:
    """Return a function that steps the vector environment of 1,024 boards with masked samples, in mode ``SameStep``."""
    return vector_loop(make_vec(id, 1024, autoreset_mode="SameStep", copy=False, **options))


def vector_loop(env: Any) -> Work:
    """Return a function that steps a Gymnasium vector environment with random actions, masked if there is a mask."""
    _, info = env.reset(seed=0)

    def work(amount: int) -> int:
        nonlocal info
        steps = -(-amount // env.num_envs)
        for _ in range(steps):
            *_, info = env.step(env.action_space.sample(info.get("action_mask")))
        return steps * int(env.num_envs)

    return work


def positions(id: str) -> Work:
    """Return a function that plays random plies with ``Position``: ``legal_actions``, ``play``, ``result``."""
    start = Position.start(resolve(id)[1])
    rng = random.Random(0)

    def work(amount: int) -> int:
        position = start
        for _ in range(amount):
            legal = position.legal_actions()
            position = position.play(legal[int(rng.random() * len(legal))])
            if position.result is not None:
                position = start
        return amount

    return work


def alpha_beta_nodes(id: str, depth: int) -> Work:
    """Return a function that counts the nodes of minimax with iterative deepening from the initial position."""
    deepen, work_array = _deepening(id, depth)

    def work(amount: int) -> int:
        nodes = 0
        while nodes < amount:
            deepen()
            nodes += int(work_array[negamax.NODES])
        return nodes

    return work


def alpha_beta_search(id: str, depth: int, evaluator: Any = None) -> Callable[[], int]:
    """Return a function that runs minimax with iterative deepening, and returns the value of the initial position.

    Args:
        id: The id of the environment.
        depth: The depth of the search in plies.
        evaluator: The evaluator of the leaves. None means the evaluation of the game.
    """
    return _deepening(id, depth, evaluator)[0]


def _deepening(id: str, depth: int, evaluator: Any = None) -> tuple[Callable[[], int], NDArray[np.int64]]:
    game: Game = resolve(id)[1]
    evaluator = evaluator or game
    own, opp = map(np.uint64, game.start())
    work, table = negamax.new_work(game), negamax.new_table(16)
    search, value_of = negamax.Negamax(game, evaluator, True, False, table, work), Monomorphic(negamax.negamax)

    def deepen() -> int:
        value = 0
        negamax.begin_search(table, work)
        for plies in range(1, depth + 1):
            value = value_of(search, own, opp, plies, 0, -negamax.INFINITY, negamax.INFINITY)
        return value

    return deepen, work


def decisions(id: str, agent: str, boards: int) -> Callable[[], NDArray[np.int64]]:
    """Return a function that decides on several boards at once, each time in other positions after 6 random plies.

    An agent can keep results of positions that it has searched, so a position is not repeated.
    """
    _, game, _ = resolve(id)
    player, count = make_agent(agent, game, seed=0), itertools.count()
    return lambda: player.act_on(random_openings(game, boards, 6, seed=next(count)))


def solving(id: str, text: str | None = None) -> Callable[[], Solution]:
    """Return a function that solves a game, or the position with this text, without a table on disk."""
    game: Game = resolve(id)[1]
    if isinstance(game, Quixo):
        return lambda: solve_quixo(game)
    position = Position.from_text(game, text) if text else Position.start(game)
    return lambda: solve(position)


def mcts_simulations(id: str, simulations: int) -> Work:
    """Return a function that runs simulations of Monte Carlo tree search from the initial position, with new trees."""
    game: Game = resolve(id)[1]
    own, opp = map(np.uint64, game.start())
    settings, tables = UCTSettings(1.0, ply_limit(game, None), MAX_NODES, True), NO_TABLES

    def work(amount: int) -> int:
        nodes = np.empty(simulations + game.action_count, dtype=NODE)
        done, state = 0, 1
        while done < amount:
            size, state = write_root(game, nodes, own, opp, tables, np.uint64(state))
            nodes, _, state = simulate(game, nodes, size, simulations, settings, tables, np.uint64(state))
            done += int(nodes[ROOT]["visits"])
        return done

    return work
