"""The tables of report A for tic-tac-toe: Q-learning and Monte Carlo, as report A's code learns them.

The code of a position is a number in base 3 with a digit for each cell: 0 empty, 1 X, 2 O. X moves first, so the number
of stones determines the player to move. All values are from the point of view of X: X maximises them, O minimises them.

``a4.toml`` lists the bugs of report A that they keep. In Q-learning the target of a move is the new value of the next
move: the final reward passes backwards through the game, with a tenth of the difference at each move.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import (
    ONGOING,
    action_count,
    initial,
    inlined,
    lean_kernel,
    legal,
    play,
    popcount,
    result,
)
from ci_envs.games.connect_n import ConnectN
from ci_envs.games.walk import random_action
from ci_envs.kernels.random_draws import random_share

TICTACTOE = ConnectN(3, 3, 3)
EPISODES = 10_000_000
TABLES = Path(__file__).with_name("tictactoe_tables.npz")
"""The file of the tables (all episodes, seed 0). ``python -m ci_envs.reports.report_a.tictactoe_tables`` writes it."""

_CELLS = 9
_POSITIONS = 3**_CELLS
_EPISODES_PER_CALL = 1_000_000  # Python handles an interrupt only between two calls
_LEARNING_RATE, _LAST_EPSILON = 0.1, 0.3
_CODES = np.array([sum(3**cell for cell in range(_CELLS) if word >> cell & 1) for word in range(1 << _CELLS)])


def learn_q(episodes: int = EPISODES, seed: int = 0) -> NDArray[np.float64]:
    """Return the table that report A's Q-learning learns by self-play.

    Args:
        episodes: The number of games.
        seed: The seed of the random moves, 0 to 2^64 - 1.

    Returns:
        float64 (19683, 9): the value of a move, by the code of the position after it and its cell.
    """
    table = np.zeros((_POSITIONS, _CELLS))
    path, state = np.zeros((_CELLS, 2), dtype=np.int64), np.uint64(seed)
    for first in range(0, episodes, _EPISODES_PER_CALL):
        stop = min(episodes, first + _EPISODES_PER_CALL)
        state = np.uint64(_q_episodes(TICTACTOE, table, path, first, stop, episodes, state))
    return table


def learn_monte_carlo(episodes: int = EPISODES, seed: int = 0, *, summed: bool = True) -> NDArray[np.float64]:
    """Return the table that report A's Monte Carlo method learns from games of random moves.

    Args:
        episodes: The number of games.
        seed: The seed of the random moves, 0 to 2^64 - 1.
        summed: Whether the return of a position is the summed reward, as in report A, instead of the final reward.

    Returns:
        float64 (19683,): the mean return of a position by its code, 0 for a position that was not visited.
    """
    table, counts = np.zeros(_POSITIONS), np.zeros(_POSITIONS, dtype=np.int64)
    path, state = np.zeros((_CELLS, 2), dtype=np.int64), np.uint64(seed)
    for first in range(0, episodes, _EPISODES_PER_CALL):
        stop = min(episodes, first + _EPISODES_PER_CALL)
        state = np.uint64(_random_episodes(TICTACTOE, table, counts, path, stop - first, summed, state))
    return table


def read_tables() -> Mapping[str, NDArray[np.float32]]:
    """Return the tables of this package by method: ``q_learning`` and ``monte_carlo``."""
    with np.load(TABLES, allow_pickle=False) as file:
        return dict(file)


@inlined
def moves_x(own: Any, opp: Any) -> Any:
    """Return whether X is to move."""
    return popcount(own) == popcount(opp)


@inlined
def code_after(game: Any, own: Any, opp: Any, x_moves: Any, action: Any) -> Any:
    """Return the code of the position after an action."""
    next_own, next_opp = play(game, own, opp, np.uint64(action))
    x, o = (next_opp, next_own) if x_moves else (next_own, next_opp)
    return _CODES[x] + 2 * _CODES[o]


@lean_kernel
def best_action(game: Any, table: Any, own: Any, opp: Any) -> Any:
    """Return the move with the best value for the player to move. Of equal moves return the first."""
    x_moves = moves_x(own, opp)
    best, chosen = -np.inf, 0
    for action in range(action_count(game)):
        if legal(game, own, opp, np.uint64(action)):
            value = np.float64(table[code_after(game, own, opp, x_moves, action), action])
            value = value if x_moves else -value
            if value > best:
                best, chosen = value, action
    return chosen


@lean_kernel
def _q_episodes(game: Any, table: Any, path: Any, first: Any, stop: Any, total: Any, state: Any) -> Any:
    """Play the episodes from ``first`` to ``stop`` of ``total``, learn from them, and return the state."""
    for episode in range(first, stop):
        epsilon = 1.0 - (1.0 - _LAST_EPSILON) * max(0.0, 2.0 * episode / total - 1.0)
        plies, reward, state = _episode(game, table, path, epsilon, state)
        target = reward
        for ply in range(plies - 1, -1, -1):
            code, action = path[ply, 0], path[ply, 1]
            table[code, action] += _LEARNING_RATE * (target - table[code, action])
            target = table[code, action]
    return state


@lean_kernel
def _random_episodes(game: Any, table: Any, counts: Any, path: Any, episodes: Any, summed: Any, state: Any) -> Any:
    """Play episodes of random moves, add their returns to the means, and return the state."""
    for _ in range(episodes):
        plies, reward, state = _episode(game, path, path, 1.0, state)
        for ply in range(plies):
            code = path[ply, 0]
            counts[code] += 1
            earned = reward * (plies - ply) if summed else reward
            table[code] += (earned - table[code]) / counts[code]
    return state


@lean_kernel
def _episode(game: Any, table: Any, path: Any, epsilon: Any, state: Any) -> Any:
    """Play one game epsilon-greedily, and write the codes and moves into ``path``.

    With an epsilon of 1 the function does not read the table.
    """
    own, opp = initial(game)
    x_moves, plies, outcome = True, 0, ONGOING
    while outcome == ONGOING:
        explores = True
        if epsilon < 1.0:
            share, state = random_share(state)
            explores = share < epsilon
        if explores:
            drawn, state = random_action(game, own, opp, state)
            action = np.int64(drawn)
        else:
            action = np.int64(best_action(game, table, own, opp))
        path[plies, 0], path[plies, 1] = code_after(game, own, opp, x_moves, action), action
        own, opp = play(game, own, opp, np.uint64(action))
        x_moves, plies = not x_moves, plies + 1
        outcome = result(game, own, opp)
    return plies, np.float64(outcome if x_moves else -outcome), state


def main() -> None:
    """Compute the tables of this package, and write their file."""
    q_learning, monte_carlo = learn_q().astype(np.float32), learn_monte_carlo().astype(np.float32)
    np.savez_compressed(TABLES, q_learning=q_learning, monte_carlo=monte_carlo)


if __name__ == "__main__":
    main()
