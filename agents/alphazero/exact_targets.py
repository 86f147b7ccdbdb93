"""Exact values as targets of the training, in positions that an exact source knows.

The result of a game of self-play is a noisy estimate of the values of its positions. Lc0 replaces it by the values of
endgame tablebases, and in earlier positions by the first such value of the game ("rescoring"). Here any exact source
can replace it. It can also give all targets of positions that are not from self-play.
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.agents.alphazero.replay import sample_type
from ci_envs.agents.search.tables import AgentTables
from ci_envs.games import DRAW
from ci_envs.games.game import Game
from ci_envs.kernels.compiler import Monomorphic
from ci_envs.solver.known_value import UNKNOWN, write_known_values


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
        self._write_known = Monomorphic(write_known_values)

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
        words = np.stack([samples["own"], samples["opp"]], axis=1)
        quick = self._solution.quick_actions(words)
        values = np.empty(len(samples), np.int8)
        known = np.empty(len(samples) - quick.sum(), np.int8)
        self._write_known(self._source, words[~quick], known)
        values[~quick] = known
        values[quick], keeps = self._solution.kept_actions(words[quick])
        policies = samples["policy"][quick] * keeps
        policies = np.where(policies.any(axis=1, keepdims=True), policies, keeps)
        samples["policy"][quick] = policies / policies.sum(axis=1, keepdims=True, dtype=np.float64)
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
