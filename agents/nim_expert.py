"""Perfect Nim by theory, with or without a bound, in normal and in misere play.

Bouton, "Nim, a game with a complete mathematical theory", Annals of Mathematics 3 (1901). With at most k per turn a
heap of h counts as h mod (k + 1), by the Sprague-Grundy theorem.
"""

from collections.abc import Callable
from functools import cache

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
        self._nim = game

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """A random one of the winning actions, or of all where none wins."""
        return self.any_of(actions_leaving(is_lost, self._nim, observations))


def is_lost(heaps: NDArray[np.int64], game: Nim) -> NDArray[np.bool_]:
    """Whether the player to move loses, by theory: see :func:`~ci_envs.solver.nim.is_won`."""
    return ~is_won(heaps, game)


def actions_leaving(
    wanted: Callable[[NDArray[np.int64], Nim], NDArray[np.bool_]], game: Nim, observations: Observation
) -> NDArray[np.bool_]:
    """The legal actions on n boards that leave what is wanted, or all of them where none does.

    Args:
        wanted: says of heaps, int64 of shape (..., heaps), whether they are wanted, as bool of shape (...).
        game: what is played.
        observations: as :meth:`Agent.act_batch` takes them.

    Returns:
        bool of shape (n, actions).
    """
    masks = observations["action_mask"].astype(np.bool_)
    # an action that is illegal here would leave a heap negative: nothing is asked about it
    left = np.maximum(heaps_of(observations)[:, np.newaxis, :] - _objects_taken(game), 0)
    leaving = masks & wanted(left, game)
    return np.where(leaving.any(axis=1, keepdims=True), leaving, masks)


def heaps_of(observations: Observation) -> NDArray[np.int64]:
    """The sizes of the heaps on n boards, int64 of shape (n, heaps)."""
    heaps: NDArray[np.int64] = observations["observation"].sum(axis=(2, 3), dtype=np.int64)
    return heaps


@cache
def _objects_taken(game: Nim) -> NDArray[np.int64]:
    taken = np.zeros((game.action_count, len(game.heaps)), dtype=np.int64)
    for action in range(game.action_count):
        heap, count = divmod(action, game.limit)
        taken[action, heap] = count + 1
    return taken
