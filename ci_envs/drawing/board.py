"""Shapes and regions that are common to pictures of boards."""

import re
from collections.abc import Sequence
from functools import lru_cache

from ci_envs.drawing.drawing import Drawing, Label, Region

MARGIN = 32
"""Width of the margin around a board, in pixels."""

BOARD = 480
"""Maximum length of the longer side of a board, in pixels."""

GAP = 24
"""Distance between the contents of neighbouring panels, in pixels."""

_FRAME = 6  # distance from the contents of a panel to its edge

STRIP = (MARGIN - _FRAME) / 2
"""Middle of the free part of the margin, the position of labels."""


def column_name(col: int) -> str:
    """Return the letters of a column: ``a`` to ``z``, then ``aa``, ``ab`` and so on as in a spreadsheet."""
    head, letter = divmod(col, 26)
    return (column_name(head - 1) if head else "") + chr(ord("a") + letter)


def rounded_rect(color: str, x: float, y: float, width: float, height: float, *, radius: float) -> str:
    """Return a rectangle with rounded corners whose top left corner is at ``(x, y)``."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" fill="{color}"/>'


def disc(color: str, radius: float) -> str:
    """Return a disc in the middle of a square of 100 x 100 units."""
    return f'<circle cx="50" cy="50" r="{radius:g}" fill="{color}"/>'


def panel(color: str, x: float, y: float, width: float, height: float) -> str:
    """Return a panel that is a little larger than a rectangle on all sides."""
    return rounded_rect(color, x - _FRAME, y - _FRAME, width + 2 * _FRAME, height + 2 * _FRAME, radius=12)


def placed(shapes: str, x: float, y: float, side: float) -> str:
    """Return shapes in a square of 100 x 100 units, scaled to a square of ``side`` with the top left at ``(x, y)``."""
    return f'<g transform="translate({x:g} {y:g}) scale({side / 100:g})">{shapes}</g>'


def tiled(cells: Sequence[str], x: float, y: float, side: float, cols: int = 4) -> list[str]:
    """Return cells in rows of ``cols`` cells, with the top left at ``(x, y)``."""
    return [placed(cell, x + k % cols * side, y + k // cols * side, side) for k, cell in enumerate(cells)]


def coordinates(rows: int, cols: int, cell: int) -> tuple[Label, ...]:
    """Return letters above the columns and numbers to the left of the rows."""
    letters = [Label(column_name(col), MARGIN + (col + 0.5) * cell, STRIP) for col in range(cols)]
    numbers = [Label(str(row + 1), STRIP, MARGIN + (row + 0.5) * cell) for row in range(rows)]
    return (*letters, *numbers)


def cell_regions(rows: int, cols: int, cell: int) -> list[Region]:
    """Return a region for each cell, for example ``b3``. ``cell`` is the side of a cell in pixels."""
    return [
        Region(f"{column_name(col)}{row + 1}", MARGIN + col * cell, MARGIN + row * cell, cell, cell)
        for row in range(rows)
        for col in range(cols)
    ]


def column_regions(rows: int, cols: int, cell: int) -> list[Region]:
    """Return a region for each column, for example ``b``. ``cell`` is the side of a cell in pixels."""
    return [Region(column_name(col), MARGIN + col * cell, MARGIN, cell, rows * cell) for col in range(cols)]


def board_drawing(cells: Sequence[Sequence[str]], color: str) -> Drawing:
    """Return a picture of a board, with a region for each cell (``b3``) and each column (``b``).

    Args:
        cells: the shapes of the cells, one sequence per row from the top, each in a square of 100 x 100 units.
        color: the colour of the board.
    """
    rows, cols = len(cells), len(cells[0])
    cell = max(2, min(144, BOARD // max(rows, cols) // 2 * 2))
    tiles = tiled([shapes for row in cells for shapes in row], MARGIN, MARGIN, cell, cols)
    return Drawing(
        width=cols * cell + 2 * MARGIN,
        height=rows * cell + 2 * MARGIN,
        shapes=panel(color, MARGIN, MARGIN, cols * cell, rows * cell) + "".join(tiles),
        labels=coordinates(rows, cols, cell),
        regions=(*cell_regions(rows, cols, cell), *column_regions(rows, cols, cell)),
    )


@lru_cache
def board_names(rows: int, cols: int) -> frozenset[str]:
    """Return the names of the cells (``b3``) and of the columns (``b``) of a board."""
    return frozenset(region.name for region in (*cell_regions(rows, cols, 1), *column_regions(rows, cols, 1)))


def cells_in(name: str, rows: int, cols: int) -> tuple[str, ...]:
    """Return the two cells of a board of which a name consists (``a2b3``), or ``()`` for another name."""
    cells = tuple(re.findall(r"[a-z]+[1-9][0-9]*", name))
    return cells if len(cells) == 2 and "".join(cells) == name and board_names(rows, cols).issuperset(cells) else ()
