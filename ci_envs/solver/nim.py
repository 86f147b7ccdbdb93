"""The solution of Nim by theory, for any number of positions.

Bouton, "Nim, a game with a complete mathematical theory", Annals of Mathematics 3 (1901). With at most k objects per
move, a heap of h objects counts as h mod (k + 1), by the Sprague-Grundy theorem. The theory gives values, but no
distances.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.nim import Nim, pack
from ci_envs.games.position import Position
from ci_envs.kernels.compiler import kernel
from ci_envs.solver.search import SearchSolution
from ci_envs.solver.solution import Progress, Solution
from ci_envs.solver.solver import Solver

_MOST_MOVES = 1 << 26  # a search of this size takes seconds


@kernel
def wins(game: Any, own: Any) -> Any:
    """Return whether the player to move wins by theory, in compiled code.

    Args:
        game: Nim.
        own: first word of the position.
    """
    xor, ones, most = np.uint64(0), np.uint64(0), np.uint64(0)
    while own:
        rest = (own & np.uint64(255)) % np.uint64(game.period)
        xor ^= rest
        ones += rest
        most = max(most, rest)
        own >>= np.uint64(8)
    if game.misere and most < np.uint64(2):
        return ones & np.uint64(1) == np.uint64(0)
    return xor != np.uint64(0)


@kernel
def _wins_each(game: Any, words: Any, won: Any) -> None:
    for i in range(len(words)):
        won[i] = wins(game, words[i])


def are_won(words: NDArray[np.uint64], game: Nim) -> NDArray[np.bool_]:
    """Return whether the player to move wins by theory.

    In normal play a position is won if the xor of the heaps modulo (k + 1) is not zero. In misere play the same holds
    if one of these numbers is 2 or more. Otherwise the position is won if an even number of them is 1.

    Args:
        words: the first words of positions, an array of any shape.
        game: the game, with its limit per move and misere or normal play.

    Returns:
        bool of the shape of ``words``.
    """
    won = np.empty(words.shape, dtype=np.bool_)
    _wins_each(game, np.array(words).reshape(-1), won.reshape(-1))
    return won


class NimSolution(Solution):
    """The value of each position of Nim by theory. The distances are unknown."""

    game: Nim

    @override
    def scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return 1 for each won position and -1 for each lost position."""
        return np.where(are_won(words[:, 0], self.game), 1, -1).astype(np.int16)

    @cached_property
    def counts(self) -> dict[str, int]:
        """The numbers of ``win``, ``draw`` and ``loss`` positions, from the number of positions of each nim-sum."""
        rests = [self._rests(heap) for heap in self.game.heaps]
        lost = _ways(rests)[0]
        if self.game.misere:  # if no remainder exceeds 1, an odd number of ones loses, instead of an even number
            even, odd = _ways([rest[:2] for rest in rests])[:2]
            lost += odd - even
        return {"win": self.game.position_count - lost, "draw": 0, "loss": lost}

    @property
    def counts_by_distance(self) -> dict[str, dict[int, int]]:
        """An empty dictionary."""
        return {}

    def _rests(self, heap: int) -> list[int]:
        """Return how many of the sizes 0 to ``heap`` have each remainder."""
        period = (self.game.max_take or heap) + 1
        return [(heap - rest) // period + 1 if rest <= heap else 0 for rest in range(max(period, 2))]


class NimSolver(Solver[Nim]):
    """Solver that uses the theory if a search would take minutes, and draws positions without enumerating them."""

    @override
    def solve(self, game: Nim, position: Position | None, progress: Progress | None) -> Solution:
        if game.position_count * game.action_count > _MOST_MOVES:
            return NimSolution(game)
        return SearchSolution(Position.start(game), progress=progress)

    @override
    def is_quick(self, position: Position) -> bool:
        return True

    @override
    def sample_positions(
        self, game: Nim, n: int, rng: np.random.Generator, progress: Progress | None
    ) -> NDArray[np.uint64]:
        # play can reach every combination of heaps that are at most as large as the initial ones
        most = np.array(game.heaps)
        heaps = np.zeros((n, len(most)), dtype=np.int64)
        while len(over := np.flatnonzero(~heaps.any(axis=1))):
            heaps[over] = rng.integers(most + 1, size=(len(over), len(most)))
        return np.array([(pack(sizes), 0) for sizes in heaps.tolist()], dtype=np.uint64)


def _ways(rests: list[list[int]]) -> list[int]:
    """Return the number of combinations with each xor, from the number of heap sizes with each remainder."""
    total = [1] + [0] * 255
    for counts in rests:
        total = [sum(total[xor ^ rest] * count for rest, count in enumerate(counts)) for xor in range(256)]
    return total
