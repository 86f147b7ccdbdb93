"""Exact values as targets of the training, in positions that an exact source knows.

The result of a game of self-play is a noisy estimate of the values of its positions. Lc0 replaces it by the values of
endgame tablebases, and in earlier positions by the first such value of the game ("rescoring"). Here any exact source
can replace it. It can also give all targets of positions that are not from self-play.
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
        self._correct = Monomorphic(_correct_policies)

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
        values = self.correct_policies(samples)
        samples["value"], samples["drawn"] = values, values == DRAW
        known = samples[samples["policy"].any(axis=1)]
        if len(known) == 0:
            raise ValueError(f"the source knows the values of all actions in none of {count} positions of {self._game}")
        return known

    def correct_policies(self, samples: NDArray[np.void]) -> NDArray[np.int8]:
        """Correct the policies of samples, and return the exact values of their positions.

        Where the source knows the values of a position and of all actions, the policy keeps only the actions that keep
        the value, in the same proportions.

        Args:
            samples: array of :func:`~ci_envs.agents.alphazero.replay.sample_type`.

        Returns:
            The values for the player to move, or UNKNOWN, int8 of shape (n,).
        """
        values = np.empty(len(samples), np.int8)
        self._correct(self._game, self._source, samples, values, np.empty(self._game.action_count, np.int8))
        return values


def exact_results(results: NDArray[np.int8], values: NDArray[np.int8], players: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the result that follows from the next position of the game with a known value, for each position.

    Args:
        results: the result of the game for the player to move in each of its positions, int8 of shape (n,). It remains
            in the positions after the last known value.
        values: the values for the player to move, or UNKNOWN, int8 of shape (n,).
        players: the player to move, int8 of shape (n,).
    """
    numbers = np.where(values == UNKNOWN, len(values), np.arange(len(values)))
    following = np.minimum.accumulate(numbers[::-1])[::-1]
    has_value = following < len(values)
    source = following[has_value]
    exact = results.copy()
    exact[has_value] = np.where(players[has_value] == players[source], values[source], -values[source])
    return exact


@kernel
def _correct_policies(game: Any, source: Any, samples: Any, values: Any, action_values: Any) -> None:
    """Correct the policies of samples and write their values. ``action_values`` is memory for those of the actions."""
    for i in range(len(samples)):
        sample = samples[i]
        value = np.int64(known_value(source, sample.own, sample.opp))
        values[i] = value
        if value != UNKNOWN and _write_action_values(game, source, sample.own, sample.opp, value, action_values):
            _keep_value(sample.policy, action_values, value)


@kernel
def _write_action_values(game: Any, source: Any, own: Any, opp: Any, best: Any, values: Any) -> Any:
    """Write the value of each legal action for the player to move, and return whether the source knows all of them.

    The values of illegal actions are UNKNOWN. ``best`` is the value of the position: in a lost one, every action loses.
    """
    for number in range(action_count(game)):
        action = np.uint64(number)
        values[number] = UNKNOWN
        if not legal(game, own, opp, action):
            continue
        if best == LOSS:
            values[number] = LOSS
            continue
        next_own, next_opp = play(game, own, opp, action)
        value = np.int64(result(game, next_own, next_opp))
        if value == ONGOING:
            value = np.int64(known_value(source, next_own, next_opp))
        if value == UNKNOWN:
            return False
        values[number] = value if keeps_turn(game, own, opp, action) else -value
    return True


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
