"""Report B's Q-learning for Nim, with the bugs that ``b34.toml`` lists.

Report B samples the initial values of a position on its first visit. Here all initial values are sampled at the start,
which has the same effect.
"""

from collections.abc import Iterable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agent_interface.capabilities import Analyst
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.supported_game import require_game
from ci_envs.games import ONGOING, initial, inlined, lean_kernel, play, result
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim, pack, size_of
from ci_envs.games.position import Position
from ci_envs.games.walk import random_action
from ci_envs.kernels.random_draws import random_share
from ci_envs.reports.nim_agent import NimStrategyAgent
from ci_envs.reports.nim_strategies import REPORT_ROWS, Chances, Rows, Strategy, nim_optimal, row_random

GAMES = 10_000
"""The games of a run of report B."""

_NIM = Nim(REPORT_ROWS)
_SIZES = 8  # a row has 0 to 7 objects
_POSITIONS = _SIZES ** len(REPORT_ROWS)


class QLearningRates(NamedTuple):
    """The parameters of report B's Q-learning.

    Attributes:
        learning_rate: From 0 to 1.
        discount: From 0 to 1.
        epsilon: The probability to play the best move instead of a random one, from 0 to 1.
        start: The lower end of the first values.
    """

    learning_rate: float = 1.0
    discount: float = 1.0
    epsilon: float = 1.0
    start: float = 0.0


def new_q_table(rng: Generator, start: float = 0.0) -> NDArray[np.float64]:
    """Return a new table, float64 (positions, actions), with random values from ``start`` to ``start + 0.01``."""
    return rng.uniform(start, start + 0.01, (_POSITIONS, _NIM.action_count))


def searched_q_table(agent: Agent) -> NDArray[np.float64]:
    """Return a table with the values of another agent, float64 (positions, actions).

    Args:
        agent: The agent, for example ``mcts``. It analyses each position once. Actions without a value get 0.
    """
    assert isinstance(agent, Analyst), "the agent does not analyse positions"
    table = np.zeros((_POSITIONS, _NIM.action_count))
    for rows in product(*(range(size + 1) for size in REPORT_ROWS)):
        if any(rows):
            values = agent.analyse(Position(_NIM, pack(rows), 0)).action_values
            for action, value in values.items():
                table[_index_of(rows), action] = 0.0 if np.isnan(value) else value
    return table


def opponent_table(strategy: Strategy) -> NDArray[np.float64]:
    """Return the cumulative probabilities of the moves of an opponent, float64 (positions, actions)."""
    table = np.zeros((_POSITIONS, _NIM.action_count))
    for rows in product(*(range(size + 1) for size in REPORT_ROWS)):
        if any(rows):
            for (row, number), chance in strategy(rows).items():
                table[_index_of(rows), _action_of(row, number)] = chance
    return table.cumsum(axis=1)


def play_games(
    table: NDArray[np.float64],
    opponent: NDArray[np.float64],
    rng: Generator,
    rates: QLearningRates,
    *,
    games: int = GAMES,
    moves_first: bool = False,
) -> NDArray[np.bool_]:
    """Train the table in games against an opponent, and return whether the learner won each game, bool (games,).

    Args:
        table: The table. The function changes it.
        opponent: The opponent, from :func:`opponent_table`.
        rng: The random number generator.
        rates: The parameters of the learning.
        games: The number of games.
        moves_first: Whether the learner moves first. In report B the opponent moves first.
    """
    won = np.zeros(games, dtype=np.bool_)
    _play_games(_NIM, table, opponent, rates, won, moves_first, np.uint64(rng.integers(2**64, dtype=np.uint64)))
    return won


def greedy(table: NDArray[np.float64]) -> Strategy:
    """Return the strategy that plays the best move of a table, and of equal moves the first in report B's order."""

    def strategy(rows: Rows) -> Chances:
        values = table[_index_of(rows)]
        moves = [(row, number) for row, size in enumerate(rows) for number in range(size, 0, -1)]
        return {max(moves, key=lambda move: values[_action_of(*move)]): 1.0}

    return strategy


def learned_agent(game: Game, seed: int | None) -> NimStrategyAgent:
    """Make the agent of report B after four runs: two against the random and two against the optimal opponent.

    The constructor trains the agent in 40,000 games.

    Args:
        game: Nim with the rows of report B.
        seed: The seed of the games.

    Raises:
        ValueError: The game is not Nim with the rows of report B.
    """
    nim = require_game("report:B34", game, Nim)
    if nim.heaps != REPORT_ROWS:
        raise ValueError(f"report:B34 plays Nim with the heaps {REPORT_ROWS}, not {nim.heaps}")
    rng = np.random.default_rng(seed)
    table = new_q_table(rng)
    for opponent in map(opponent_table, 2 * (row_random, nim_optimal)):
        play_games(table, opponent, rng, QLearningRates())
    return NimStrategyAgent(game, greedy(table), seed=seed)


def _index_of(rows: Iterable[int]) -> int:
    index = 0
    for size in rows:
        index = _SIZES * index + size
    return index


def _action_of(row: int, number: int) -> int:
    return row * _NIM.limit + number - 1


@inlined
def _position_index(game: Any, own: Any) -> Any:
    """Return the row of a position in the tables."""
    index = np.int64(0)
    for heap in range(game.heap_count):
        index = _SIZES * index + np.int64(size_of(own, heap))
    return index


@lean_kernel
def _best_move(game: Any, values: Any, own: Any, opp: Any) -> Any:
    """Return the best move and its value. Of equal moves return the first, by ascending row and descending number."""
    chosen, best = -1, -np.inf
    for heap in range(game.heap_count):
        for number in range(size_of(own, heap), 0, -1):
            action = heap * game.limit + number - 1
            if values[action] > best:
                chosen, best = action, values[action]
    return chosen, best


@lean_kernel
def _play_games(game: Any, table: Any, opponent: Any, rates: Any, won: Any, moves_first: Any, state: Any) -> None:
    """Play games, learn from them, and write to ``won`` whether the learner won each game."""
    for number in range(len(won)):
        own, opp = initial(game)
        learners_turn, last_index, last_action = moves_first, np.int64(0), np.int64(-1)
        while result(game, own, opp) == ONGOING:
            drawn, state = random_share(state)
            index = _position_index(game, own)
            action, best = np.int64(0), 0.0
            if learners_turn:
                action, best = _best_move(game, table[index], own, opp)
                if drawn >= rates.epsilon:
                    legal_action, state = random_action(game, own, opp, state)
                    action = np.int64(legal_action)
            else:
                while drawn >= opponent[index, action]:
                    action += 1
            own, opp = play(game, own, opp, np.uint64(action))
            if learners_turn:
                if last_action >= 0:
                    reward = 1.0 if result(game, own, opp) != ONGOING else 0.0
                    target = reward + rates.discount * best
                    table[last_index, last_action] += rates.learning_rate * (target - table[last_index, last_action])
                last_index, last_action = index, action
            learners_turn = not learners_turn
        won[number] = not learners_turn  # the learner took the last object
        if learners_turn and last_action >= 0:
            table[last_index, last_action] += rates.learning_rate * (-1.0 - table[last_index, last_action])
