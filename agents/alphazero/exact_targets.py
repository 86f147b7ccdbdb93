"""Exact values as targets of the training, in positions that an exact source knows.

The result of a game of self-play is a noisy estimate of the values of its positions. Lc0 replaces it by the values of
endgame tablebases ("rescoring"). Here any exact source can replace it. It can also give all targets of positions that
are not from self-play.
"""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agents.alphazero.replay import sample_type
from ci_envs.agents.search.tables import AgentTables
from ci_envs.games import DRAW, LOSS, ONGOING, action_count, keeps_turn, kernel, legal, play, result
from ci_envs.games.game import Game
from ci_envs.kernels.compiler import Monomorphic
from ci_envs.solver.known_value import UNKNOWN, known_value


class ExactTargets:
    """The targets of an exact source."""

    def __init__(self, game: Game, name: str) -> None:
        """Load the source.

        Args:
            game: the game.
            name: the name of the source, as :func:`~ci_envs.solver.solver.exact_source` takes it.

        Raises:
            ValueError: the game has no such source, or a table is damaged.
        """
        tables = AgentTables(game, name)
        self._game, self._source, self._solution = game, tables.source, tables.solution
        self._write = Monomorphic(_write_targets)

    def sample(self, count: int, rng: Generator) -> NDArray[np.void]:
        """Return positions with exact targets. The policy is uniform over the actions that keep the value.

        Positions in which the source does not know the values of all actions are left out.

        Args:
            count: number of positions to draw by :meth:`~ci_envs.solver.solution.Solution.sample_positions`.
            rng: draws the positions.

        Returns:
            Array of :func:`~ci_envs.agents.alphazero.replay.sample_type` and shape (at most ``count``,).

        Raises:
            ValueError: there are no such positions.
        """
        samples = np.zeros(count, sample_type(self._game))
        samples["own"], samples["opp"] = self._solution.sample_positions(count, rng).T
        self.replace(samples)
        known = samples[samples["policy"].any(axis=1)]
        if len(known) == 0:
            raise ValueError(f"the source knows the values of all actions in none of {count} positions of {self._game}")
        return known

    def replace(self, samples: NDArray[np.void]) -> None:
        """Replace the targets of samples by exact ones where the source knows them.

        The value of a position replaces the targets of value and draw. If the source knows the positions after all
        actions, the policy keeps only the actions that keep the value, in the same proportions.

        Args:
            samples: array of :func:`~ci_envs.agents.alphazero.replay.sample_type`.
        """
        self._write(self._game, self._source, samples, np.empty(self._game.action_count, np.int8))


@kernel
def _write_targets(game: Any, source: Any, samples: Any, values: Any) -> None:
    """Write the exact targets of the samples. ``values`` is memory for the values of the actions."""
    for i in range(len(samples)):
        sample = samples[i]
        value = _write_action_values(game, source, sample.own, sample.opp, values)
        if value != UNKNOWN:
            _keep_value(sample.policy, values, value)
        else:
            value = known_value(source, sample.own, sample.opp)
        if value != UNKNOWN:
            sample.value, sample.drawn = value, value == DRAW


@kernel
def _write_action_values(game: Any, source: Any, own: Any, opp: Any, values: Any) -> Any:
    """Write the value of each legal action for the player to move, and return the largest one.

    The values of illegal actions are UNKNOWN. If the source does not know a position, the result is UNKNOWN.
    """
    best = np.int64(LOSS)
    for number in range(action_count(game)):
        action = np.uint64(number)
        values[number] = UNKNOWN
        if not legal(game, own, opp, action):
            continue
        next_own, next_opp = play(game, own, opp, action)
        value = np.int64(result(game, next_own, next_opp))
        if value == ONGOING:
            value = np.int64(known_value(source, next_own, next_opp))
        if value == UNKNOWN:
            return np.int64(UNKNOWN)
        values[number] = value if keeps_turn(game, own, opp, action) else -value
        best = max(best, np.int64(values[number]))
    return best


@kernel
def _keep_value(policy: Any, values: Any, value: Any) -> None:
    """Remove the actions that do not have the value of the position from a policy.

    The policy becomes uniform over the others if it gave them nothing.
    """
    total, count = 0.0, 0
    for action in range(len(policy)):
        if values[action] == value:
            total += policy[action]
            count += 1
        else:
            policy[action] = 0
    for action in range(len(policy)):
        if values[action] == value:
            policy[action] = policy[action] / total if total > 0 else 1 / count
