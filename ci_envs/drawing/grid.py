"""Pictures of games of two colours on a grid of cells."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ci_envs.drawing.board import (
    BOARD,
    MARGIN,
    cell_regions,
    column_regions,
    coordinates,
    disc,
    panel,
    rounded_rect,
    tiled,
)
from ci_envs.drawing.drawing import BACKGROUND, Drawing

_X_COLOR, _O_COLOR = "#1d5480", "#bd4a2c"  # blue and vermilion, which colour-blind people can distinguish


@dataclass(frozen=True)
class GridStyle:
    """The style of a board and its cells.

    Attributes:
        board: colour of the board.
        cells: shapes of a cell by its symbol, in a square of 100 x 100 units.
    """

    board: str
    cells: Mapping[str, str]


def _x(color: str, reach: int, width: int) -> str:
    low, high = 50 - reach, 50 + reach
    return (
        f'<path class="X" d="M{low} {low}L{high} {high}M{high} {low}L{low} {high}" fill="none"'
        f' stroke="{color}" stroke-width="{width}" stroke-linecap="round"/>'
    )


def _o(color: str, radius: int, width: int) -> str:
    return f'<circle class="O" cx="50" cy="50" r="{radius}" fill="none" stroke="{color}" stroke-width="{width}"/>'


_SQUARE = rounded_rect("#ffffff", 3, 3, 94, 94, radius=10)
_CUBE = (
    '<rect x="3" y="60" width="94" height="37" rx="14" fill="#b98a55"/>'
    '<rect x="6" y="6" width="88" height="82" rx="11" fill="#f3dfba" stroke="#e8cd9d" stroke-width="6"/>'
)

PAPER = GridStyle(
    board="#d9d3c7",
    cells={".": _SQUARE, "X": _SQUARE + _x(_X_COLOR, 22, 11), "O": _SQUARE + _o(_O_COLOR, 26, 11)},
)
"""Marks on white squares, for tic-tac-toe and similar games."""

CUBES = GridStyle(
    board="#7d5a3c",
    cells={".": _CUBE, "X": _CUBE + _x(_X_COLOR, 20, 12), "O": _CUBE + _o(_O_COLOR, 23, 12)},
)
"""Wooden cubes with marks on top, for Quixo."""

DISCS = GridStyle(
    board="#2f6690",
    cells={
        ".": disc("#24506f", 41) + disc(BACKGROUND, 38),
        "X": disc("#24506f", 41) + disc("#c8452f", 38) + _x("#7d1f12", 14, 8),
        "O": disc("#24506f", 41) + disc("#f2c14e", 38) + _o("#96660a", 16, 8),
    },
)
"""Discs in an upright board, for Connect Four."""


def grid_drawing(rows: Sequence[str], style: GridStyle) -> Drawing:
    """Return a picture of a board of two colours, with a region for each cell (``b3``) and each column (``b``).

    Args:
        rows: the symbols of the cells, ``.``, ``X`` or ``O``, one string per row from the top.
        style: the style of the board and its cells.
    """
    cols = len(rows[0])
    cell = min(144, BOARD // max(len(rows), cols))
    board = panel(style.board, MARGIN, MARGIN, cols * cell, len(rows) * cell)
    cells = tiled([style.cells[symbol] for row in rows for symbol in row], MARGIN, MARGIN, cell, cols)
    return Drawing(
        width=cols * cell + 2 * MARGIN,
        height=len(rows) * cell + 2 * MARGIN,
        shapes=board + "".join(cells),
        labels=coordinates(len(rows), cols, cell),
        regions=(*cell_regions(len(rows), cols, cell), *column_regions(len(rows), cols, cell)),
    )
