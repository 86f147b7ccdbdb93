"""The lines of Quarto in packed words, for its solver.

The **state** of a line is the set of attribute values that all pieces on it have, one byte: bit ``i`` is set if all
have attribute ``i``, and bit ``4 + i`` if all lack it. A line without pieces has all 8 values. A line is dead if its
set is empty. Eight lines fill a word. A second tuple of words contains the number of empty cells of each line, also one
byte a line. Both tuples have two words, or three if the squares count too.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import bits
from ci_envs.games.quarto.game import Quarto
from ci_envs.games.quarto.layout import CELLS, HAVING, PIECES
from ci_envs.kernels.compiler import inline_kernel
from ci_envs.kernels.dispatch import implements, operation

VALUES = np.array([piece | (~piece & 15) << 4 for piece in range(PIECES)], dtype=np.uint64)
"""The set of attribute values of each piece."""

_ONES = np.uint64(0x0101_0101_0101_0101)
_LINES_A_WORD = 8


def _pieces_with(values: int) -> int:
    """Return the pieces, as a bit set, that have one of a set of attribute values."""
    return sum(1 << piece for piece in range(PIECES) if int(VALUES[piece]) & values)


UNSAFE = np.array([_pieces_with(values) for values in range(256)], dtype=np.uint64)
"""The pieces that have one of a set of attribute values, for each set."""

_LACKING = ~HAVING & np.uint64(0xFFFF)


def _line_masks(game: Quarto) -> NDArray[np.uint64]:
    """Return the bytes of the lines through each cell, uint64 of shape (words, cells)."""
    fours = game.fours()
    masks = np.zeros((-(-len(fours) // _LINES_A_WORD), CELLS), dtype=np.uint64)
    for number, four in enumerate(fours):
        word, byte = divmod(number, _LINES_A_WORD)
        for cell in bits(four):
            masks[word, cell] |= np.uint64(0xFF << 8 * byte)
    return masks


@operation
def empty_lines(game: Any) -> Any:
    """Return the states of the lines of the empty board, and the numbers of their empty cells."""


@operation
def place_on_lines(game: Any, states: Any, counts: Any, cell: Any, piece: Any) -> Any:
    """Return the states of the lines and the numbers of their empty cells after a piece is placed."""


@operation
def cell_threats(game: Any, states: Any, counts: Any, cell: Any) -> Any:
    """Return the attribute values with which a piece is unsafe after another piece is placed on ``cell``.

    Returns:
        ``(fixed, matched)``: a value is a threat if it is in ``fixed``, or if it is in ``matched`` and the piece that
        is placed has it.
    """


@operation
def threats(game: Any, states: Any, counts: Any) -> Any:
    """Return the attribute values of the lines with one empty cell."""


@operation
def live_values(game: Any, states: Any) -> Any:
    """Return the attribute values of all lines."""


@operation
def is_dead_cell(game: Any, states: Any, cell: Any) -> Any:
    """Return whether all lines through a cell are dead."""


@inline_kernel
def _spread(byte: Any) -> Any:
    return byte * _ONES


@inline_kernel
def _fold(word: Any) -> Any:
    """Return the union of the bytes of a word."""
    word |= word >> np.uint64(32)
    word |= word >> np.uint64(16)
    word |= word >> np.uint64(8)
    return word & np.uint64(0xFF)


@inline_kernel
def _with_one(counts: Any) -> Any:
    """Return the bytes of the lines with one empty cell."""
    one = counts & ~(counts >> np.uint64(1)) & _ONES
    return (one << np.uint64(8)) - one


@inline_kernel
def _with_two(counts: Any) -> Any:
    """Return the bytes of the lines with two empty cells."""
    two = (counts >> np.uint64(1)) & ~counts & _ONES
    return (two << np.uint64(8)) - two


@implements(empty_lines, Quarto)
def _(game: Quarto) -> Any:
    masks = _line_masks(game)
    full = [int(word) for word in np.bitwise_or.reduce(masks, axis=1)]
    states = tuple(np.uint64(word) for word in full)
    counts = tuple(np.uint64(word & int(_ONES) * 4) for word in full)
    if len(full) == 2:
        (a, b), (c, d) = states, counts
        return lambda game: ((a, b), (c, d))
    (a, b, e), (c, d, f) = states, counts
    return lambda game: ((a, b, e), (c, d, f))


@implements(place_on_lines, Quarto)
def _(game: Quarto) -> Any:
    masks = _line_masks(game)

    def with_two_words(game: Any, states: Any, counts: Any, cell: Any, piece: Any) -> Any:
        values = _spread(VALUES[piece])
        a, b = masks[0, cell], masks[1, cell]
        return (states[0] & (~a | values), states[1] & (~b | values)), (
            counts[0] - (a & _ONES),
            counts[1] - (b & _ONES),
        )

    def with_three_words(game: Any, states: Any, counts: Any, cell: Any, piece: Any) -> Any:
        values = _spread(VALUES[piece])
        a, b, c = masks[0, cell], masks[1, cell], masks[2, cell]
        return (
            (states[0] & (~a | values), states[1] & (~b | values), states[2] & (~c | values)),
            (counts[0] - (a & _ONES), counts[1] - (b & _ONES), counts[2] - (c & _ONES)),
        )

    return with_two_words if len(masks) == 2 else with_three_words


@implements(cell_threats, Quarto)
def _(game: Quarto) -> Any:
    masks = _line_masks(game)
    words = len(masks)

    def kernel(game: Any, states: Any, counts: Any, cell: Any) -> Any:
        fixed = matched = np.uint64(0)
        for i in range(words):
            mask = masks[i, cell]
            fixed |= states[i] & _with_one(counts[i]) & ~mask
            matched |= states[i] & _with_two(counts[i]) & mask
        return _fold(fixed), _fold(matched)

    return kernel


@implements(threats, Quarto)
def _(game: Quarto) -> Any:
    words = len(_line_masks(game))

    def kernel(game: Any, states: Any, counts: Any) -> Any:
        found = np.uint64(0)
        for i in range(words):
            found |= states[i] & _with_one(counts[i])
        return _fold(found)

    return kernel


@implements(live_values, Quarto)
def _(game: Quarto) -> Any:
    words = len(_line_masks(game))

    def kernel(game: Any, states: Any) -> Any:
        found = np.uint64(0)
        for i in range(words):
            found |= states[i]
        return _fold(found)

    return kernel


@implements(is_dead_cell, Quarto)
def _(game: Quarto) -> Any:
    masks = _line_masks(game)
    words = len(masks)

    def kernel(game: Any, states: Any, cell: Any) -> Any:
        found = np.uint64(0)
        for i in range(words):
            found |= states[i] & masks[i, cell]
        return found == np.uint64(0)

    return kernel


@inline_kernel
def without_duplicates(pieces: Any, live: Any) -> Any:
    """Return one of each set of pieces that differ only in attributes without a value in ``live``."""
    for attribute in range(4):
        if not (live | live >> np.uint64(4)) >> np.uint64(attribute) & np.uint64(1):
            pieces &= ~((pieces & _LACKING[attribute]) << np.uint64(1 << attribute))
    return pieces
