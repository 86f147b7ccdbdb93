"""Ranks of Quixo's states: a number for each state of a class that symmetric states share.

The class (a, b) contains the states with a cubes of the player to move and b cubes of the opponent. The rank of a state
is computed in three steps:

1. Among the images of the own cubes under the 8 symmetries of the board, the mask with the smallest number is the
   representative. The representatives of a class are numbered in ascending order.
2. The symmetry that leads to the representative also maps the opponent's cubes. Only the cells that are free in the
   representative can contain them, so their bits in these cells are moved together to the lowest places.
3. The masks with b bits are numbered in ascending order. The rank is the number of the representative times the number
   of these masks, plus the number of the mask.

If the representative is symmetric itself, several masks of step 3 belong to symmetric states. The rank is then that of
the smallest number. So every set of symmetric states has one rank. The other ranks are not used by the computation, and
contain copies at the end. They make the tables of 5 x 5 less than 1% larger. In return, the rank is simple to compute,
and each entry stands for as many states as its representative has images.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.board import cell_maps
from ci_envs.games.quixo import Quixo
from ci_envs.kernels.bit_selection import extract_bits
from ci_envs.kernels.bits import bit_counts, popcount
from ci_envs.kernels.compiler import inline_kernel, kernel

CHUNK = 9
"""The number of bits that one look-up in the table of images maps."""

LOW = 13
"""The number of bits of a mask whose number among the masks with equally many bits is in a table."""

SYMMETRY, IS_SYMMETRIC, ROW_BITS = np.uint32(7), np.uint32(8), np.uint32(4)
"""The bits of an entry of :attr:`Ranking.orbits`: of the symmetry, of symmetric representatives, and the place of the
number."""


class Ranking(NamedTuple):
    """The tables that all classes of a board share.

    Attributes:
        orbits: For each mask, uint32 of shape (2 ** cells,): the symmetry that maps the mask to its representative (3
            bits), whether the representative is symmetric itself (1 bit), and the number of the representative among
            those with equally many bits.
        images: ``images[s, k, bits]`` is the image under symmetry s of ``bits`` in the cells from 9 k, uint32 of shape
            (8, chunks, 512).
        low_numbers: The number of each mask of 13 bits among the masks with equally many bits, uint16 of shape (8192,).
    """

    orbits: NDArray[np.uint32]
    images: NDArray[np.uint32]
    low_numbers: NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class ClassIndex:
    """The tables of one class.

    Attributes:
        game: The board.
        own: The number of own cubes.
        columns: The number of masks of the opponent's cubes for each representative.
        offsets: ``offsets[h]`` is the number of masks whose bits above the lowest 13 are a number smaller than h,
            uint64 of shape (m,).
    """

    game: Quixo
    own: int
    columns: int
    offsets: NDArray[np.uint64]

    @property
    def representatives(self) -> NDArray[np.uint64]:
        """The masks of own cubes, one of each set of symmetric masks, ascending, uint64 of shape (n,)."""
        return _representatives(self.game)[self.own][0]

    @property
    def images(self) -> NDArray[np.int64]:
        """The number of images of each representative, 1 to 8, int64 of shape (n,)."""
        return _representatives(self.game)[self.own][1]

    @property
    def size(self) -> int:
        """The number of entries of the table."""
        return len(self.representatives) * self.columns


@lru_cache(maxsize=2)
def ranking_of(game: Quixo) -> Ranking:
    """Return the tables of a board of at most 5 x 5 cubes. Those of 5 x 5 take 134 MB and 0.3 s."""
    cells, maps = game.size**2, cell_maps(game.size, game.size)
    images, orbits = _image_table(game), np.zeros(1 << cells, dtype=np.uint32)
    inverses = [np.flatnonzero((maps == np.argsort(targets)).all(axis=1))[0] for targets in maps]
    _fill_orbits(images, np.array(inverses, dtype=np.uint32), orbits, np.zeros(cells + 1, dtype=np.uint32))
    counts = np.zeros(LOW + 1, dtype=np.int64)
    low_numbers = np.empty(1 << LOW, dtype=np.uint16)
    for mask in range(1 << LOW):
        low_numbers[mask] = counts[mask.bit_count()]
        counts[mask.bit_count()] += 1
    return Ranking(orbits, images, low_numbers)


@lru_cache(maxsize=8)
def class_index(game: Quixo, a: int, b: int) -> ClassIndex:
    """Return the tables of the class with ``a`` own cubes and ``b`` cubes of the opponent."""
    free = game.size**2 - a
    low = min(LOW, free)
    sizes = np.array([comb(low, b - high) if high <= b else 0 for high in range(free - low + 1)], dtype=np.uint64)
    ends = np.cumsum(sizes[bit_counts(np.arange(1 << free - low, dtype=np.uint64))], dtype=np.uint64)
    return ClassIndex(game, a, comb(free, b), np.concatenate([np.zeros(1, dtype=np.uint64), ends[:-1]]))


def class_size(cells: int, a: int, b: int) -> int:
    """Return the number of states of a class, symmetric states counted separately."""
    return comb(cells, a) * comb(cells - a, b)


@lru_cache(maxsize=2)
def _representatives(game: Quixo) -> list[tuple[NDArray[np.uint64], NDArray[np.int64]]]:
    """Return the representatives by their number of cubes, and the number of images of each."""
    ranking = ranking_of(game)
    masks = np.flatnonzero((ranking.orbits & SYMMETRY) == 0).astype(np.uint64)
    images, cubes = np.empty(len(masks), dtype=np.int64), bit_counts(masks)
    _count_images(ranking.images, masks, images)
    return [(masks[cubes == count], images[cubes == count]) for count in range(game.size**2 + 1)]


def _image_table(game: Quixo) -> NDArray[np.uint32]:
    cells, maps = game.size**2, cell_maps(game.size, game.size)
    table = np.zeros((len(maps), -(-cells // CHUNK), 1 << CHUNK), dtype=np.uint32)
    bits = np.arange(1 << CHUNK)
    for symmetry, targets in enumerate(maps.tolist()):
        for cell, target in enumerate(targets):
            table[symmetry, cell // CHUNK] |= ((bits >> cell % CHUNK & 1) << target).astype(np.uint32)
    return table


@inline_kernel
def image(images: Any, symmetry: Any, mask: Any) -> Any:
    """Return the image of a mask under a symmetry. The first argument is the table :attr:`Ranking.images`."""
    found = np.uint64(0)
    for chunk in range(images.shape[1]):
        found |= np.uint64(images[symmetry, np.uint64(chunk), mask & np.uint64((1 << CHUNK) - 1)])
        mask >>= np.uint64(CHUNK)
    return found


@inline_kernel
def rank(ranking: Any, columns: Any, offsets: Any, full: Any, own: Any, opp: Any) -> Any:
    """Return the rank of a state in its class.

    Args:
        ranking: The :class:`Ranking` of the board.
        columns: The attribute ``columns`` of the :class:`ClassIndex` of the state's class.
        offsets: The attribute ``offsets`` of this index.
        full: The mask of all cells.
        own: The first word of the state.
        opp: The second word of the state.
    """
    orbit = ranking.orbits[own]
    symmetry = np.uint64(orbit & SYMMETRY)
    representative, opponent = image(ranking.images, symmetry, own), image(ranking.images, symmetry, opp)
    number = _number(ranking, offsets, opponent, full & ~representative)
    if orbit & IS_SYMMETRIC:
        for s in range(1, len(ranking.images)):
            if image(ranking.images, np.uint64(s), representative) == representative:
                turned = image(ranking.images, np.uint64(s), opponent)
                number = min(number, _number(ranking, offsets, turned, full & ~representative))
    return np.uint64(orbit >> ROW_BITS) * np.uint64(columns) + number


@inline_kernel
def _number(ranking: Any, offsets: Any, mask: Any, free: Any) -> Any:
    """Return the number of a mask of free cells among the masks with equally many bits."""
    bits = extract_bits(mask, free)
    low = bits & np.uint64((1 << LOW) - 1)
    return offsets[bits >> np.uint64(LOW)] + np.uint64(ranking.low_numbers[low])


@kernel
def write_ranks(ranking: Any, columns: Any, offsets: Any, full: Any, words: Any, ranks: Any) -> None:
    """Write the ranks of states of one class, rows ``(own, opp)`` of ``words``, into ``ranks`` (uint64)."""
    for i in range(len(words)):
        ranks[i] = rank(ranking, columns, offsets, full, words[i, 0], words[i, 1])


@kernel
def _fill_orbits(images: Any, inverses: Any, orbits: Any, counts: Any) -> None:
    """Write :attr:`Ranking.orbits`.

    The first mask of each set of symmetric masks is the representative. It writes the entries of the others.

    Args:
        images: :attr:`Ranking.images`.
        inverses: The inverse of each symmetry, uint32.
        orbits: Zeros, written.
        counts: Zeros, one for each number of cubes.
    """
    low_masks = min(len(orbits), images.shape[2])
    high_images = np.empty(len(images), dtype=np.uint32)
    for start in range(0, len(orbits), low_masks):
        for s in range(len(images)):
            high_images[s] = image(images, np.uint64(s), np.uint64(start))
        for low in range(low_masks):
            mask = np.uint32(start + low)
            if orbits[mask] & SYMMETRY:
                continue
            cubes = popcount(np.uint64(mask))
            entry = np.uint32(counts[cubes] << ROW_BITS)
            counts[cubes] += np.uint32(1)
            for s in range(1, len(images)):
                if high_images[s] | images[s, 0, low] == mask:
                    entry |= IS_SYMMETRIC
            orbits[mask] = entry
            for s in range(1, len(images)):
                other = high_images[s] | images[s, 0, low]
                if other != mask:
                    orbits[other] = entry | inverses[s]


@kernel
def _count_images(images: Any, masks: Any, counts: Any) -> None:
    """Write the number of different images of each mask."""
    for i in range(len(masks)):
        same = 0
        for s in range(len(images)):
            same += image(images, np.uint64(s), masks[i]) == masks[i]
        counts[i] = len(images) // same
