"""The default picture of a position: its observation planes as a board."""

import math

import numpy as np
from numpy.typing import NDArray

from ci_envs.drawing.board import board_drawing, disc, placed, rounded_rect
from ci_envs.drawing.drawing import Drawing

_PANEL = "#d9d3c7"
_CELL = rounded_rect("#ffffff", 3, 3, 94, 94, radius=10)
# blue, vermilion, green, orange, sky blue, purple, yellow, black: suitable for colour-blind people (Okabe and Ito,
# 2008)
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#c9b800", "#333333")


def planes_drawing(planes: NDArray[np.int8]) -> Drawing:
    """Return a picture of binary planes with a region for each cell (``b3``) and each column (``b``).

    With one or two planes a cell shows a disc in the colour of its plane. With more planes it shows a dot for each
    plane that is set. The dots of a plane are always at the same place in a cell.

    Args:
        planes: The planes as int8 of shape (height, width, channels).
    """
    rows, cols, channels = planes.shape
    cells = [[_CELL + _dots(planes[row, col], channels) for col in range(cols)] for row in range(rows)]
    return board_drawing(cells, _PANEL)


def _dots(bits: NDArray[np.int8], channels: int) -> str:
    """Return the marks of one cell, in a square of 100 x 100 units."""
    if channels <= 2:
        return "".join(disc(_COLORS[plane], 36 - 18 * k) for k, plane in enumerate(np.flatnonzero(bits)))
    side = math.ceil(math.sqrt(channels))
    pitch = 84 / side
    return "".join(
        placed(disc(_COLORS[plane % len(_COLORS)], 42), 8 + plane % side * pitch, 8 + plane // side * pitch, pitch)
        for plane in np.flatnonzero(bits).tolist()
    )
