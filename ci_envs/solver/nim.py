"""Nim by theory, however many positions it has.

Bouton, "Nim, a game with a complete mathematical theory", Annals of Mathematics 3 (1901). With at most k per turn a
heap of h counts as h mod (k + 1), by the Sprague-Grundy theorem. The theory says who wins, not how soon.
"""

from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.nim import Nim
from ci_envs.solver.solution import Solution


def is_won(heaps: NDArray[np.int64], game: Nim) -> NDArray[np.bool_]:
    """Whether the player to move wins, by theory.

    Args:
        heaps: sizes of the heaps, int64 of shape (..., heaps).
        game: the bound and the kind of play.

    Returns:
        bool of shape (...). In normal play: the xor of the heaps modulo (k + 1) is not zero. In misere play the same
        while one of these is 2 or more, else: an even number of them is one.
    """
    rest = heaps if game.max_take is None else heaps % (game.max_take + 1)
    won: NDArray[np.bool_] = np.bitwise_xor.reduce(rest, axis=-1) != 0
    if game.misere:
        won = np.where(rest.max(axis=-1) >= 2, won, rest.sum(axis=-1) % 2 == 0)
    return won


def state_count(game: Nim) -> int:
    """How many positions ``game`` has."""
    return prod(heap + 1 for heap in game.heaps)


class NimSolution(Solution):
    """Who wins each position of Nim; the distances are unknown."""

    game: Nim

    def scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """As in :meth:`Solution.scores`: 1 or -1."""
        places = np.arange(len(self.game.heaps), dtype=np.uint64) * np.uint64(8)
        heaps = (words[:, :1] >> places & np.uint64(255)).astype(np.int64)
        return np.where(is_won(heaps, self.game), 1, -1).astype(np.int16)

    @cached_property
    def counts(self) -> dict[str, int]:
        """As in :attr:`Solution.counts`, from how many positions have each xor."""
        rests = [self._rests(heap) for heap in self.game.heaps]
        lost = _ways(rests)[0]
        if self.game.misere:  # where no rest exceeds 1, an odd number of ones loses, instead of an even one
            even, odd = _ways([rest[:2] for rest in rests])[:2]
            lost += odd - even
        return {"win": state_count(self.game) - lost, "draw": 0, "loss": lost}

    @property
    def counts_by_distance(self) -> dict[str, dict[int, int]]:
        """Empty."""
        return {}

    def _rests(self, heap: int) -> list[int]:
        """How many of the sizes 0 to ``heap`` leave each rest."""
        period = (self.game.max_take or heap) + 1
        return [(heap - rest) // period + 1 if rest <= heap else 0 for rest in range(max(period, 2))]


def _ways(rests: list[list[int]]) -> list[int]:
    """In how many ways numbers that come so often have each xor, in unbounded integers."""
    total = [1] + [0] * 255
    for counts in rests:
        total = [sum(total[xor ^ rest] * count for rest, count in enumerate(counts)) for xor in range(256)]
    return total
