"""The agents of report A that play tic-tac-toe by tables."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.policy import CompiledPolicy
from ci_envs.games import action_count, lean_kernel, legal
from ci_envs.games.game import Game
from ci_envs.kernels.random_draws import random_share
from ci_envs.kernels.random_numbers import random_below
from ci_envs.reports.literal_agent import LiteralAgent, LiteralPolicy, require_equal
from ci_envs.reports.report_a.tictactoe_tables import TICTACTOE, best_action, code_after, moves_x, read_tables

_FLOOR = 0.1
"""A number that report A adds to the weights of O, so that the worst move has a positive weight."""


class BestTablePolicy(LiteralPolicy):
    """A policy that plays the best move of a table of moves. Of equal moves it plays the first."""

    @staticmethod
    @override
    def action(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        return best_action(game, memory[0], own, opp)


class WeightedTablePolicy(LiteralPolicy):
    """A policy that samples a move from the best third by a table of positions. The weights depend on the values."""

    @staticmethod
    @override
    def action(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        return _drawn_action(game, own, opp, seed, *memory)


_POLICIES = {"q_learning": BestTablePolicy(), "monte_carlo": WeightedTablePolicy()}


def table_agent(
    game: Game, seed: int | None, method: str, table: NDArray[np.floating[Any]] | None = None
) -> LiteralAgent:
    """Make an agent of report A.

    Args:
        game: Tic-tac-toe.
        seed: The seed of the random moves. ``q_learning`` is deterministic.
        method: ``q_learning`` or ``monte_carlo``.
        table: A table of this method (:mod:`~ci_envs.reports.report_a.tictactoe_tables`); by default that of this
            package.

    Raises:
        ValueError: The game is not tic-tac-toe.
    """
    require_equal("report:A4", game, TICTACTOE)
    policy, cells = _POLICIES[method], game.action_count
    values = np.asarray(read_tables()[method] if table is None else table, dtype=np.float64)
    return LiteralAgent(
        game, lambda: CompiledPolicy(policy, (values, np.empty(cells, np.int64), np.empty(cells))), seed=seed
    )


@lean_kernel
def _drawn_action(game: Any, own: Any, opp: Any, seed: Any, table: Any, actions: Any, values: Any) -> Any:
    """Return one of the best third of the actions, sampled by weight. ``actions`` and ``values`` are buffers."""
    x_moves = moves_x(own, opp)
    count = 0
    for action in range(action_count(game)):  # stable insertion sort, from the best to the worst for the player to move
        if legal(game, own, opp, np.uint64(action)):
            value = table[code_after(game, own, opp, x_moves, action)]
            place = count
            while place > 0 and (value > values[place - 1] if x_moves else value < values[place - 1]):
                actions[place], values[place] = actions[place - 1], values[place - 1]
                place -= 1
            actions[place], values[place] = action, value
            count += 1
    kept = (count + 2) // 3
    most = values[kept - 1]  # the largest value that O keeps
    total = 0.0
    for i in range(kept):
        values[i] = values[i] if x_moves else most - values[i] + _FLOOR
        total += values[i]
    if total == 0.0:
        drawn, _ = random_below(seed, kept)
        return actions[drawn]
    last = 0.0
    for i in range(kept):
        last += values[i] / total
        values[i] = last
    share, _ = random_share(seed)
    wanted = share * last
    low, high = 0, kept - 1
    while low < high:  # bisection as in report A: the sums are not sorted if values of X are negative
        middle = (low + high) // 2
        if wanted < values[middle]:
            high = middle
        else:
            low = middle + 1
    return actions[low]
