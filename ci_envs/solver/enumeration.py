"""Enumeration of the positions that play can reach, from which random positions are drawn.

The symmetries of the game that fix the initial position map reachable positions to reachable positions. One
representative of each set of symmetric positions is stored.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import Game, least_image
from ci_envs.games.operations import ONGOING, action_count, legal, play, result, transform
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.hash_table import find_indexed_slot
from ci_envs.solver.search import BYTES_A_POSITION, MAX_POSITIONS
from ci_envs.solver.solution import Progress, too_large

_EXPANDED_A_CALL = 1 << 18  # positions per call; Python handles an interrupt only between two calls
_NOWHERE = -1


class Reachable:
    """All non-terminal positions of a game that legal play can reach.

    Attributes:
        game: The game.
        symmetries: The numbers of the symmetries that fix the initial position, int64 of shape (symmetries,).
        representatives: One position of each set of symmetric positions, rows (own, opp), uint64 of shape (sets, 2).
        count: The number of positions, including all symmetric positions.
    """

    def __init__(self, game: Game, *, progress: Progress | None = None) -> None:
        """Enumerate the positions, breadth first.

        Args:
            game: The game. It can have cycles.
            progress: See :data:`~ci_envs.solver.solution.Progress`.

        Raises:
            ValueError: There are too many positions.
        """
        self.game = game
        self.symmetries = _symmetries(game)
        self.representatives = self._enumerate(progress)
        sizes = np.empty(len(self.representatives), dtype=np.int64)
        _count_images(game, self.representatives, self.symmetries, sizes)
        self._ends = np.cumsum(sizes)
        self.count = int(self._ends[-1])

    def draw(self, n: int, rng: np.random.Generator) -> NDArray[np.uint64]:
        """Return ``n`` independent, uniformly random positions, rows (own, opp)."""
        sets = np.searchsorted(self._ends, rng.integers(self.count, size=n), side="right")
        words = self.representatives[sets]
        _transform_each(self.game, rng.choice(self.symmetries, size=n), words)
        return words

    def _enumerate(self, progress: Progress | None) -> NDArray[np.uint64]:
        """Return the representatives, rows (own, opp)."""
        return _breadth_first(self.game, self.symmetries, None, progress)


def early_positions(game: Game, plies: int) -> NDArray[np.uint64]:
    """Return the non-terminal positions after at most ``plies`` plies, one of each set of symmetric positions.

    They are sorted by the number of plies.

    Args:
        game: A game in which each position occurs after only one number of plies.
        plies: The number of plies.

    Returns:
        Rows (own, opp), uint64 of shape (positions, 2).

    Raises:
        ValueError: There are too many positions.
    """
    return _breadth_first(game, _symmetries(game), plies, None)


def _symmetries(game: Game) -> NDArray[np.int64]:
    """Return the numbers of the symmetries that fix the initial position."""
    images = game.rules.images(game, *game.start())
    return np.flatnonzero((images == images[0]).all(axis=1))


def _breadth_first(
    game: Game, symmetries: NDArray[np.int64], plies: int | None, progress: Progress | None
) -> NDArray[np.uint64]:
    words, places = np.empty((1 << 11, 2), dtype=np.uint64), np.full(1 << 12, _NOWHERE, dtype=np.int32)
    words[0], ends = game.start(), np.array([0, 1])
    _index(words, places, ends[1])
    level_end, level = 1, 0
    while ends[0] < ends[1] and level != plies:
        if len(words) - ends[1] <= game.action_count:
            words, places = _enlarged(words, places, ends)
        _expand(game, words, places, ends, symmetries, min(level_end - ends[0], np.int64(_EXPANDED_A_CALL)))
        if ends[0] == level_end:
            level_end, level = ends[1], level + 1
        if progress:
            progress(int(ends[1]), None)
        if ends[1] > MAX_POSITIONS:
            raise too_large(game, MAX_POSITIONS, BYTES_A_POSITION, more=True)
    return words[: ends[1]].copy()


def _enlarged(
    words: NDArray[np.uint64], places: NDArray[np.int32], ends: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    larger = np.empty((2 * len(words), 2), dtype=np.uint64)
    larger[: len(words)] = words
    table = np.full(2 * len(places), _NOWHERE, dtype=np.int32)
    _index(larger, table, ends[1])
    return larger, table


@kernel
def _index(words: Any, places: Any, count: Any) -> None:
    for i in range(count):
        places[_slot(words, places, words[i, 0], words[i, 1])] = i


@inlined
def _slot(words: Any, places: Any, own: Any, opp: Any) -> Any:
    """Return the slot that contains the row of a position in ``words``, or the free slot where it can be inserted."""
    return find_indexed_slot(words[:, 0], words[:, 1], places, _NOWHERE, own, opp)


@inlined
def _add(words: Any, places: Any, ends: Any, own: Any, opp: Any) -> None:
    slot = _slot(words, places, own, opp)
    if places[slot] == _NOWHERE:
        places[slot] = ends[1]
        words[ends[1], 0], words[ends[1], 1] = own, opp
        ends[1] += 1


@kernel
def _expand(game: Any, words: Any, places: Any, ends: Any, symmetries: Any, budget: Any) -> None:
    """Add the successors of at most ``budget`` positions from ``ends[0]`` to ``ends[1]``, while there is room."""
    while ends[0] < ends[1] and budget > 0 and len(words) - ends[1] > action_count(game):
        own, opp = words[ends[0], 0], words[ends[0], 1]
        for number in range(action_count(game)):
            action = np.uint64(number)
            if not legal(game, own, opp, action):
                continue
            next_own, next_opp = play(game, own, opp, action)
            if result(game, next_own, next_opp) == ONGOING:
                next_own, next_opp = least_image(game, next_own, next_opp, symmetries)
                _add(words, places, ends, next_own, next_opp)
        ends[0] += 1
        budget -= 1


@kernel
def _count_images(game: Any, words: Any, symmetries: Any, sizes: Any) -> None:
    """Write the number of different images of each position: all symmetries divided by those that fix the position."""
    for i in range(len(words)):
        fixing = 0
        for symmetry in symmetries:
            own, opp = transform(game, symmetry, words[i, 0], words[i, 1])
            fixing += own == words[i, 0] and opp == words[i, 1]
        sizes[i] = len(symmetries) // fixing


@kernel
def _transform_each(game: Any, symmetries: Any, words: Any) -> None:
    for i in range(len(words)):
        words[i, 0], words[i, 1] = transform(game, symmetries[i], words[i, 0], words[i, 1])
