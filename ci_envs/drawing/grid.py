"""Pictures of games of two colours on a grid of cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ci_envs.drawing.board import board_drawing, disc, rounded_rect
from ci_envs.drawing.drawing import BACKGROUND, Drawing

X_COLOR, O_COLOR = "#1d5480", "#bd4a2c"  # blue and vermilion, which colour-blind people can distinguish
"""The colours of players 0 and 1."""


@dataclass(frozen=True)
class GridStyle:
    """The style of a board and its cells.

    Attributes:
        board: colour of the board.
        cells: shapes of a cell by its symbol, in a square of 100 x 100 units.
    """

    board: str
    cells: Mapping[str, str]


def x_mark(color: str, reach: int, width: int) -> str:
    """Return an X in the middle of a square of 100 x 100 units. ``reach`` is half of its width."""
    low, high = 50 - reach, 50 + reach
    return (
        f'<path class="X" d="M{low} {low}L{high} {high}M{high} {low}L{low} {high}" fill="none"'
        f' stroke="{color}" stroke-width="{width}" stroke-linecap="round"/>'
    )


def o_mark(color: str, radius: int, width: int) -> str:
    """Return a ring in the middle of a square of 100 x 100 units."""
    return f'<circle class="O" cx="50" cy="50" r="{radius}" fill="none" stroke="{color}" stroke-width="{width}"/>'


_SQUARE = rounded_rect("#ffffff", 3, 3, 94, 94, radius=10)
_CUBE = (
    '<rect x="3" y="60" width="94" height="37" rx="14" fill="#b98a55"/>'
    '<rect x="6" y="6" width="88" height="82" rx="11" fill="#f3dfba" stroke="#e8cd9d" stroke-width="6"/>'
)

PAPER = GridStyle(
    board="#d9d3c7",
    cells={".": _SQUARE, "X": _SQUARE + x_mark(X_COLOR, 22, 11), "O": _SQUARE + o_mark(O_COLOR, 26, 11)},
)
"""Marks on white squares, for tic-tac-toe and similar games."""

CUBES = GridStyle(
    board="#7d5a3c",
    cells={".": _CUBE, "X": _CUBE + x_mark(X_COLOR, 20, 12), "O": _CUBE + o_mark(O_COLOR, 23, 12)},
)
"""Wooden cubes with marks on top, for Quixo."""

DISCS = GridStyle(
    board="#2f6690",
    cells={
        ".": disc("#24506f", 41) + disc(BACKGROUND, 38),
        "X": disc("#24506f", 41) + disc("#c8452f", 38) + x_mark("#7d1f12", 14, 8),
        "O": disc("#24506f", 41) + disc("#f2c14e", 38) + o_mark("#96660a", 16, 8),
    },
)
"""Discs in an upright board, for Connect Four."""


def grid_drawing(rows: Sequence[str], style: GridStyle) -> Drawing:
    """Return a picture of a board of two colours, with a region for each cell (``b3``) and each column (``b``).

    Args:
        rows: the symbols of the cells, ``.``, ``X`` or ``O``, one string per row from the top.
        style: the style of the board and its cells.
    """
    return board_drawing([[style.cells[symbol] for symbol in row] for row in rows], style.board)
