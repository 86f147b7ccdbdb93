"""Bounds of scores that long searches have found, so that the same question is not searched twice."""

import numpy as np

from ci_envs.games.batch import canonical_batch
from ci_envs.games.game import Game

_MOST_ENTRIES = 1 << 18  # about 70 MB


class FoundBounds:
    """The bounds of the scores of positions. Symmetric positions have one entry. A full memory forgets all entries.

    A copy or pickle is empty.
    """

    def __init__(self, game: Game, most: int) -> None:
        """Make an empty memory.

        Args:
            game: The game.
            most: A number above all scores.
        """
        self._game, self._most = game, most
        self._bounds: dict[tuple[int, int], tuple[int, int]] = {}

    def key(self, own: int, opp: int) -> tuple[int, int]:
        """Return the key of a position."""
        own, opp = canonical_batch(self._game, np.array([[own, opp]], np.uint64))[0].tolist()
        return own, opp

    def get(self, key: tuple[int, int]) -> tuple[int, int]:
        """Return the lower and the upper bound of a score."""
        return self._bounds.get(key, (-self._most, self._most))

    def narrow(self, key: tuple[int, int], low: int, high: int) -> None:
        """Store that a score is between ``low`` and ``high``."""
        least, most = self.get(key)
        if len(self._bounds) >= _MOST_ENTRIES:
            self._bounds.clear()
        self._bounds[key] = max(low, least), min(high, most)

    def __reduce__(self) -> tuple[type["FoundBounds"], tuple[Game, int]]:
        return FoundBounds, (self._game, self._most)
