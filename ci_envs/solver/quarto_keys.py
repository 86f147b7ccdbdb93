"""Normalised keys of positions of Quarto, for the transposition table and the opening book."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.quarto.game import Quarto
from ci_envs.games.quarto.layout import LANE, LANES, SPREAD
from ci_envs.games.quarto.symmetries import image_of, in_order, lowest_maps, set_maps
from ci_envs.kernels.bits import popcount, trailing_zeros
from ci_envs.kernels.dispatch import implements, operation

MOST_PIECES = 11
"""Maximum number of pieces on the board of a position with a key."""


@lru_cache
def _selections() -> NDArray[np.uint8]:
    """Return the bits of a byte at the places of a mask, moved together: ``selections[mask, byte]``."""
    masks = np.arange(256).reshape(-1, 1)
    found = place = np.zeros((256, 256), dtype=np.int64)
    for bit in range(8):
        chosen = masks >> bit & 1
        found = found | (np.arange(256) >> bit & chosen) << place
        place = place + chosen
    return found.astype(np.uint8)


@operation
def position_key(game: Any, own: Any, filled: Any, hand: Any, live: Any) -> Any:
    """Return a key of a position with a piece in hand. Positions with the same key have the same score.

    Symmetric positions have the same key, and so have positions that differ only in dead attributes.

    Args:
        game: The game.
        own: The first word of the position.
        filled: The occupied cells, at most 11.
        hand: The piece in hand.
        live: The attribute values of all lines.
    """


@implements(position_key, Quarto)
def _(game: Quarto) -> Any:
    maps, lowest, selections = set_maps(game.squares), lowest_maps(game.squares), _selections()
    one, byte, lane_bits = np.uint64(1), np.uint64(0xFF), np.uint64(16)

    def kernel(game: Any, own: Any, filled: Any, hand: Any, live: Any) -> Any:
        own ^= (SPREAD[hand] * LANE) & (filled * LANES)  # the piece in hand becomes 0
        alive = live | live >> np.uint64(4)
        dead = np.uint64(0)
        for attribute in range(4):
            if not alive >> np.uint64(attribute) & one:
                own |= LANE << np.uint64(16 * attribute)
                dead += one
        boards = np.uint64(lowest[filled])
        occupied = image_of(maps, trailing_zeros(boards), filled)
        least = ~np.uint64(0)
        while boards:
            board = trailing_zeros(boards)
            boards &= boards - one
            a, b, c, d = in_order(
                image_of(maps, board, own),
                image_of(maps, board, own >> np.uint64(16)),
                image_of(maps, board, own >> np.uint64(32)),
                image_of(maps, board, own >> np.uint64(48)),
            )
            least = min(least, a << np.uint64(48) | b << np.uint64(32) | c << lane_bits | d)
        low, high = occupied & byte, occupied >> np.uint64(8)
        lower = popcount(low)
        pieces = popcount(occupied)
        key = np.uint64(0)
        for attribute in range(4):
            lane = least >> np.uint64(16 * attribute)
            found = np.uint64(selections[low, lane & byte])
            found |= np.uint64(selections[high, lane >> np.uint64(8) & byte]) << lower
            key = key << pieces | found
        return key << np.uint64(18) | occupied << np.uint64(2) | (dead & np.uint64(3))

    return kernel
