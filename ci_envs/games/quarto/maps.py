"""The symmetries of Quarto: permutations of the cells and of the pieces."""

from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.board import cell_maps
from ci_envs.games.quarto.layout import CELLS, PIECES


@lru_cache
def board_maps(squares: bool) -> NDArray[np.uint8]:
    """Return the permutations of the cells that map lines to lines. ``maps[s, cell]`` is the image of ``cell``.

    The identity is first. With squares they are the 8 symmetries of the square. With lines only there are 32: rows and
    columns can also be permuted together, in all ways that keep pairs of mirror images, because then both diagonals
    remain diagonals. Up to reversal there are 4 such orders.
    """
    dihedral = cell_maps(4, 4).astype(np.int64)
    orders = [(0, 1, 2, 3)] if squares else [(0, 1, 2, 3), (1, 0, 3, 2), (0, 2, 1, 3), (1, 3, 0, 2)]
    inner = np.array([[4 * order[cell // 4] + order[cell % 4] for cell in range(CELLS)] for order in orders])
    return np.concatenate([dihedral[:, cells] for cells in inner]).astype(np.uint8)


@lru_cache
def piece_maps() -> NDArray[np.uint8]:
    """Return the 4! 2^4 symmetries of the attributes, the identity first. ``maps[s, piece]`` is an image."""
    pieces = np.arange(PIECES)
    maps = []
    for order in permutations(range(4)):
        permuted = sum((pieces >> attribute & 1) << place for attribute, place in enumerate(order))
        maps += [permuted ^ flipped for flipped in range(PIECES)]
    return np.array(maps, dtype=np.uint8)
