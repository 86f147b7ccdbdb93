"""Pictures of games of two colours on a rhombus of hexagons, such as Hex."""

import math
from collections.abc import Iterable, Sequence

from ci_envs.drawing.board import BOARD, MARGIN, STRIP, column_name, placed
from ci_envs.drawing.drawing import Drawing, Label, Region
from ci_envs.drawing.grid import O_COLOR, X_COLOR, o_mark, x_mark

_WIDTH, _STEP = math.sqrt(3) / 2, 0.75  # width of a hexagon and distance of two rows, if its height is 1
_REGION = 0.7  # sides of the square inside a hexagon that can be clicked, if its height is 1
_CORNERS = ((0.5, 0.0), (1.0, 0.25), (1.0, 0.75), (0.5, 1.0), (0.0, 0.75), (0.0, 0.25))  # clockwise from the top

_Point = tuple[float, float]


def hex_drawing(rows: Sequence[str]) -> Drawing:
    """Return a picture of a rhombus of hexagons with a region for each cell (``b3``).

    Each row begins half a cell to the right of the row above it. A cell touches the cells to its left and right, the
    cells above and below it, the cell above the one to its right and the cell below the one to its left. The upper and
    lower sides have the colour of X, and the left and right sides have the colour of O.

    Args:
        rows: the symbols of the cells, ``.``, ``X`` or ``O``, one string per row from the top.

    Examples:
        >>> from ci_envs.games import hex_drawing
        >>> [region.name for region in hex_drawing(["X.", ".O"]).regions]
        ['a1', 'b1', 'a2', 'b2']
    """
    cols = len(rows[0])
    width, height = (cols + (len(rows) - 1) / 2) * _WIDTH, (len(rows) - 1) * _STEP + 1
    side = min(110, BOARD / max(width, height))
    corners = [[_corners(row, col, side) for col in range(cols)] for row in range(len(rows))]
    return Drawing(
        width=2 * math.ceil(width * side / 2) + 2 * MARGIN,
        height=2 * math.ceil(height * side / 2) + 2 * MARGIN,
        shapes=_sides(corners, min(0.2 * side, 14)) + _cells(rows, corners, side),
        labels=_labels(len(rows), cols, side),
        regions=tuple(_region(row, col, side) for row in range(len(rows)) for col in range(cols)),
    )


def _top_left(row: int, col: int, side: float) -> _Point:
    """Return the top left of the rectangle around a hexagon of height ``side``."""
    return MARGIN + (col + row / 2) * _WIDTH * side, MARGIN + row * _STEP * side


def _corners(row: int, col: int, side: float) -> list[_Point]:
    left, top = _top_left(row, col, side)
    return [(left + x * _WIDTH * side, top + y * side) for x, y in _CORNERS]


def _sides(corners: Sequence[Sequence[Sequence[_Point]]], stroke: float) -> str:
    """Return thick lines along the four sides of the board, which the hexagons half cover."""
    upper_right, lower_left = corners[0][-1], corners[-1][0]
    right_end, left_end = _middle(*upper_right[:2]), _middle(*lower_left[3:5])
    lines = [
        (X_COLOR, [*(cell[k] for cell in corners[0] for k in (5, 0)), right_end]),
        (X_COLOR, [left_end, *(cell[k] for cell in corners[-1] for k in (3, 2))]),
        (O_COLOR, [*(row[0][k] for row in corners for k in (5, 4)), left_end]),
        (O_COLOR, [right_end, *(row[-1][k] for row in corners for k in (1, 2))]),
    ]
    return "".join(
        f'<path d="M{_path(points)}" fill="none" stroke="{color}" stroke-width="{stroke:.2f}" stroke-linejoin="round"'
        ' stroke-linecap="round"/>'
        for color, points in lines
    )


def _middle(start: _Point, end: _Point) -> _Point:
    return (start[0] + end[0]) / 2, (start[1] + end[1]) / 2


def _path(points: Iterable[_Point]) -> str:
    return "L".join(f"{x:.2f} {y:.2f}" for x, y in points)


def _cells(rows: Sequence[str], corners: Sequence[Sequence[Sequence[_Point]]], side: float) -> str:
    marks = {".": "", "X": x_mark(X_COLOR, 20, 10), "O": o_mark(O_COLOR, 23, 10)}
    shapes = []
    for row, symbols in enumerate(rows):
        for col, symbol in enumerate(symbols):
            x, y = _top_left(row, col, side)
            shapes.append(f'<path d="M{_path(corners[row][col])}Z" fill="#ffffff" stroke="#b9b1a2" stroke-width="2"/>')
            shapes.append(placed(marks[symbol], x - (1 - _WIDTH) / 2 * side, y, side))
    return "".join(shapes)


def _labels(rows: int, cols: int, side: float) -> tuple[Label, ...]:
    """Return letters above the columns, and numbers to the left of the rows."""
    letters = [Label(column_name(col), MARGIN + (col + 0.5) * _WIDTH * side, STRIP) for col in range(cols)]
    lefts = [_top_left(row, 0, side) for row in range(rows)]
    numbers = [Label(str(row), x - MARGIN + STRIP, y + side / 2) for row, (x, y) in enumerate(lefts, 1)]
    return (*letters, *numbers)


def _region(row: int, col: int, side: float) -> Region:
    x, y = _top_left(row, col, side)
    inset = (_WIDTH - _REGION) / 2 * side
    return Region(
        f"{column_name(col)}{row + 1}", x + inset, y + (1 - _REGION) / 2 * side, _REGION * side, _REGION * side
    )
