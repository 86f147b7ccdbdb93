"""The images of positions and actions of Quarto under its symmetries, and the canonical position."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.operations import (
    canonical,
    transform,
    transform_action,
)
from ci_envs.games.quarto.game import Quarto
from ci_envs.games.quarto.layout import CELLS, HAND, HOLDING, LANE, SPREAD, USED, piece_at
from ci_envs.games.quarto.maps import board_maps, piece_maps
from ci_envs.kernels.bits import trailing_zeros
from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.dispatch import implements


@implements(transform, Quarto)
def _(game: Quarto) -> Any:
    cells, pieces = board_maps(game.squares).astype(np.uint64), piece_maps().astype(np.uint64)
    count = len(pieces)
    spread = SPREAD
    one, first = np.uint64(1), np.uint64(USED)

    def kernel(game, symmetry, own, opp):
        new_own = new_opp = np.uint64(0)
        for cell in range(CELLS):
            if (opp >> np.uint64(cell)) & one:
                image, place = pieces[symmetry % count, piece_at(own, cell)], cells[symmetry // count, cell]
                new_own |= spread[image] << place
                new_opp |= (one << place) | (one << (first + image))
        if opp >> np.uint64(HOLDING):
            image = pieces[symmetry % count, (opp >> np.uint64(HAND)) & np.uint64(15)]
            new_opp |= (one << (first + image)) | (image << np.uint64(HAND)) | (one << np.uint64(HOLDING))
        return new_own, new_opp

    return kernel


@lru_cache
def set_maps(squares: bool) -> NDArray[np.uint16]:
    """Return the board maps for sets: ``maps[s, 0, mask]`` for cells 0 to 7, ``maps[s, 1, mask]`` for cells 8 to 15."""
    places = 1 << board_maps(squares).astype(np.uint16).reshape(-1, 2, 8, 1)
    masks = np.arange(256) >> np.arange(8).reshape(8, 1) & 1
    return np.ascontiguousarray((masks * places).sum(axis=2), dtype=np.uint16)


@lru_cache
def lowest_maps(squares: bool) -> NDArray[np.uint32]:
    """Return for each set of cells the board maps, as bits, that map it to the smallest of its images."""
    masks = np.arange(1 << CELLS)
    maps = set_maps(squares)
    images = maps[:, 0, masks & 0xFF] | maps[:, 1, masks >> 8]
    chosen = (images == images.min(axis=0)) << np.arange(len(maps)).reshape(-1, 1)
    lowest: NDArray[np.uint32] = chosen.sum(axis=0).astype(np.uint32)
    return lowest


@kernel
def image_of(maps: Any, board: Any, cells: Any) -> Any:
    """Return the image of a set of cells under the board map with number ``board`` of :func:`set_maps`."""
    low = np.uint64(0xFF)
    return np.uint64(maps[board, 0, cells & low]) | np.uint64(maps[board, 1, (cells >> np.uint64(8)) & low])


@kernel
def _lane_of(maps: Any, board: Any, own: Any, hand: Any, filled: Any, attribute: Any) -> Any:
    """Return the image of a lane, with the piece in hand as bit 16, flipped if the first piece has the attribute."""
    lane = image_of(maps, board, own >> np.uint64(16 * attribute))
    lane |= ((hand >> np.uint64(attribute)) & np.uint64(1)) << np.uint64(16)
    return lane ^ filled if lane & filled & (~filled + np.uint64(1)) else lane


@kernel
def in_order(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return four numbers in ascending order."""
    a, b, c, d = min(a, b), max(a, b), min(c, d), max(c, d)
    a, b, c, d = min(a, c), min(b, d), max(a, c), max(b, d)
    return a, min(b, c), max(b, c), d


@kernel
def _side_by_side(a: Any, b: Any, c: Any, d: Any, width: Any) -> Any:
    return a | (b << width) | (c << np.uint64(2) * width) | (d << np.uint64(3) * width)


@implements(canonical, Quarto)
def _(game: Quarto) -> Any:
    # Compare the images of the board whose set of occupied cells is smallest. For each of them one image of the pieces
    # is enough: flipped so that the first piece is 0, with the attributes in the order that sorts their lanes. The
    # result does not depend on the image of the pieces at the start.
    maps, lowest = set_maps(game.squares), lowest_maps(game.squares)
    one, cells, digit = np.uint64(1), np.uint64(CELLS), np.uint64(15)
    hand_at, holding_at = np.uint64(HAND), np.uint64(HOLDING)

    def kernel(game, own, opp):
        boards = np.uint64(lowest[opp & LANE])
        occupied = image_of(maps, trailing_zeros(boards), opp)
        hand, holding = (opp >> hand_at) & digit, opp >> holding_at
        filled = occupied | (holding << cells)
        least_own = least_hand = ~np.uint64(0)
        while boards:
            board = trailing_zeros(boards)
            boards &= boards - one
            a, b, c, d = in_order(
                _lane_of(maps, board, own, hand, filled, 0),
                _lane_of(maps, board, own, hand, filled, 1),
                _lane_of(maps, board, own, hand, filled, 2),
                _lane_of(maps, board, own, hand, filled, 3),
            )
            new_own = _side_by_side(a & LANE, b & LANE, c & LANE, d & LANE, cells)
            new_hand = _side_by_side(a >> cells, b >> cells, c >> cells, d >> cells, one)
            if new_own < least_own or (new_own == least_own and new_hand < least_hand):
                least_own, least_hand = new_own, new_hand
        used = holding << least_hand
        for cell in range(CELLS):
            if (occupied >> np.uint64(cell)) & one:
                used |= one << piece_at(least_own, cell)
        return least_own, occupied | (used << np.uint64(USED)) | (least_hand << hand_at) | (holding << holding_at)

    return kernel


@implements(transform_action, Quarto)
def _(game: Quarto) -> Any:
    cells, pieces = board_maps(game.squares).astype(np.int64), piece_maps().astype(np.int64)
    count = len(pieces)

    def kernel(game, symmetry, action):
        if action < CELLS:
            return cells[symmetry // count, action]
        return CELLS + pieces[symmetry % count, action - CELLS]

    return kernel
