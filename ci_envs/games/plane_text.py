"""The default text of a position: a symbol for each cell of its observation planes.

Planes give a safer text than the words of a position. A text from outside can contain anything, and compiled rules do
not check bounds. But every text of the correct form is a set of binary planes, which ``decode`` can read.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.drawing.board import column_name
from ci_envs.games.operations import VIEWS

_SYMBOLS = ".XO*"
"""The symbols of a cell with at most two planes: none set, the first, the second, both."""


def planes_of(game: Any, own: int, opp: int, to_move: int) -> NDArray[np.int8]:
    """Return the planes of a position as player 0 sees it, also if player 1 is to move.

    Args:
        game: The :class:`~ci_envs.games.game.Game`.
        own: First word, from the point of view of the player to move.
        opp: Second word.
        to_move: The player to move, 0 or 1.

    Returns:
        int8 of shape ``game.observation_shape``.
    """
    game.need(*VIEWS)
    planes: NDArray[np.int8] = game.rules.observation(*game.seen_by_first(own, opp, to_move))[0]
    return planes


def rows_of(planes: NDArray[np.int8]) -> list[list[str]]:
    """Return the symbols of the cells, row by row.

    A cell with one or two planes has one of the symbols ``.XO*``. A cell with more planes has their bits as a
    hexadecimal number of fixed width, the first plane as the lowest bit. If no plane is set it has dots.
    """
    channels = planes.shape[2]
    numbers = [[sum(int(bit) << k for k, bit in enumerate(cell)) for cell in row] for row in planes.tolist()]
    if channels <= 2:
        return [[_SYMBOLS[number] for number in row] for row in numbers]
    width = _digits(channels)
    return [[f"{number:0{width}x}" if number else "." * width for number in row] for row in numbers]


def position_to_text(game: Any, own: int, opp: int, to_move: int) -> str:
    """Return a position as one line: the rows from the top separated by ``/``, then the player to move."""
    rows = rows_of(planes_of(game, own, opp, to_move))
    return f"{'/'.join(map(''.join, rows))} {to_move}"


def position_from_text(game: Any, text: str) -> tuple[int, int, int]:
    """Return the ``(own, opp, to_move)`` of a text that :func:`position_to_text` wrote.

    Raises:
        ValueError: ``text`` is malformed, or no position of the game has these planes.
    """
    game.need(*VIEWS)
    rows, cols, channels = game.observation_shape
    symbol = rf"[{re.escape(_SYMBOLS[: 1 << channels])}]" if channels <= 2 else rf"[.0-9a-f]{{{_digits(channels)}}}"
    match = re.fullmatch(rf"((?:{symbol}){{{cols}}}(?:/(?:{symbol}){{{cols}}}){{{rows - 1}}}) ([01])", text)
    if match is None:
        raise ValueError(
            f"{text!r} is not a position of {game}: {rows} rows of {cols} cells separated by '/', then 0 or 1 to move,"
            f" for example {game.to_text(*game.start(), 0)!r}"
        )
    planes = _planes_from(match[1].split("/"), game.observation_shape)
    to_move = int(match[2])
    first_word, second_word = game.rules.decode(game, planes)
    own, opp = game.seen_by_first(first_word, second_word, to_move)
    if position_to_text(game, own, opp, to_move) != text:
        raise ValueError(f"{text!r} is not a position of {game}: no position has these planes")
    return own, opp, to_move


def grid_diagram(rows: Sequence[Sequence[str]]) -> str:
    """Return the symbols of a board in several lines, with a letter above each column and a number before each row.

    Args:
        rows: The symbols of the cells from the top. All rows have the same length.
    """
    names = [column_name(col) for col in range(len(rows[0]))]
    width, number = max(len(rows[0][0]), len(names[-1])), len(str(len(rows)))
    lines = [("", names), *((str(row), cells) for row, cells in enumerate(rows, 1))]
    return "\n".join(f"{name:>{number}} {' '.join(cell.rjust(width) for cell in cells)}" for name, cells in lines)


def _digits(channels: int) -> int:
    """Return the number of hexadecimal digits of a cell."""
    return -(-channels // 4)


def _planes_from(rows: list[str], shape: tuple[int, int, int]) -> NDArray[np.int8]:
    """Return the planes of rows of well-formed symbols. Bits beyond the last plane are ignored."""
    height, width, channels = shape
    planes = np.zeros(shape, dtype=np.int8)
    size = 1 if channels <= 2 else _digits(channels)
    for row in range(height):
        for col in range(width):
            symbol = rows[row][col * size : (col + 1) * size]
            number = _SYMBOLS.index(symbol) if channels <= 2 else int(symbol.replace(".", "0"), 16)
            planes[row, col] = [number >> k & 1 for k in range(channels)]
    return planes
