"""Perfect Nim by theory, with or without a bound, in normal and in misere play.

Bouton, "Nim, a game with a complete mathematical theory", Annals of Mathematics 3 (1901). With at most k per turn a
heap of h counts as h mod (k + 1), by the Sprague-Grundy theorem.
"""

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent import Agent, Observation
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim
from ci_envs.solver.nim import is_won


class NimExpertAgent(Agent):
    """Wins every won position of Nim; in a lost one plays at random."""

    def __init__(self, game: Game, *, seed: int | None = None) -> None:
        """Make the expert.

        Raises:
            ValueError: ``game`` is not Nim.
        """
        if not isinstance(game, Nim):
            raise ValueError(f"nim_expert plays Nim, not {game}")
        super().__init__(game, seed=seed)
        self._taken = _objects_taken(game)
        self._nim = game

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """A random one of the winning actions, or of all where none wins."""
        heaps = observations["observation"].sum(axis=(2, 3), dtype=np.int64)
        masks = observations["action_mask"].astype(np.bool_)
        # an action that is illegal here would leave a heap negative: theory is not asked about it
        left = np.maximum(heaps[:, np.newaxis, :] - self._taken, 0)
        winning = masks & ~is_won(left, self._nim)
        return self.any_of(np.where(winning.any(axis=1, keepdims=True), winning, masks))


def _objects_taken(game: Nim) -> NDArray[np.int64]:
    taken = np.zeros((game.action_count, len(game.heaps)), dtype=np.int64)
    for action in range(game.action_count):
        heap, count = divmod(action, game.limit)
        taken[action, heap] = count + 1
    return taken
