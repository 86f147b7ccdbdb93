"""The default picture of a position: its observation planes as a board, and a button for every other action."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ci_envs.drawing.board import (
    BOARD,
    GAP,
    MARGIN,
    cell_regions,
    column_regions,
    coordinates,
    disc,
    panel,
    placed,
    rounded_rect,
    tiled,
)
from ci_envs.drawing.drawing import Drawing, Label, Region

_PANEL = "#d9d3c7"
_CELL = rounded_rect("#ffffff", 3, 3, 94, 94, radius=10)
# blue, vermilion, green, orange, sky blue, purple, yellow, black: suitable for colour-blind people (Okabe and Ito,
# 2008)
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#e69f00", "#56b4e9", "#cc79a7", "#c9b800", "#333333")

_BUTTON, _BUTTON_FADED, _TEXT, _TEXT_FADED = "#ffffff", "#f1eee8", "#3d3a36", "#bdb7ad"
_BUTTONS_HEIGHT = 240  # pixels; a larger number of buttons is scaled down
_NARROWEST = 240  # pixels, so that a narrow board leaves room for buttons


def planes_drawing(planes: NDArray[np.int8], targets: Mapping[str, bool]) -> Drawing:
    """Return a picture of binary planes with a region for each target of a click.

    With one or two planes a cell shows a disc in the colour of its plane. With more planes it shows a dot for each
    plane that is set. The dots of a plane are always at the same place in a cell.

    Args:
        planes: The planes as int8 of shape (height, width, channels).
        targets: Whether each target can be clicked, by name. A target with the name of a cell (``b3``) or a column
            (``b``) is that cell or column. Any other target is a button below the board.
    """
    rows, cols, channels = planes.shape
    cell = min(144, BOARD // max(rows, cols))
    regions = [*cell_regions(rows, cols, cell), *column_regions(rows, cols, cell)]
    known = {region.name for region in regions}
    buttons = _buttons(
        {name: enabled for name, enabled in targets.items() if name not in known},
        top=MARGIN + rows * cell + GAP,
        width=max(cols * cell, _NARROWEST),
    )
    cells = [_CELL + _dots(planes[row, col], channels) for row in range(rows) for col in range(cols)]
    board = panel(_PANEL, MARGIN, MARGIN, cols * cell, rows * cell)
    height = rows * cell + (GAP + buttons.height if buttons.regions else 0)
    return Drawing(
        width=2 * math.ceil((max(cols * cell, buttons.width) + 2 * MARGIN) / 2),
        height=2 * math.ceil((height + 2 * MARGIN) / 2),
        shapes=board + "".join(tiled(cells, MARGIN, MARGIN, cell, cols)) + buttons.shapes,
        labels=(*coordinates(rows, cols, cell), *buttons.labels),
        regions=(*regions, *buttons.regions),
    )


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


@dataclass(frozen=True)
class _Buttons:
    """Buttons in rows, and their total size in pixels."""

    shapes: str
    labels: tuple[Label, ...]
    regions: tuple[Region, ...]
    width: float
    height: float


def _buttons(names: Mapping[str, bool], top: float, width: float) -> _Buttons:
    """Return a button for each name, in rows from ``top`` on. Buttons that cannot be clicked are faded."""
    if not names:
        return _Buttons("", (), (), 0, 0)
    size = 15.0  # font size
    while True:
        button = max(0.65 * size * max(map(len, names)) + size, 2.5 * size)
        columns = max(1, int(width // button))
        pitch = 2 * size
        if math.ceil(len(names) / columns) * pitch <= _BUTTONS_HEIGHT or size < 4:
            break
        size *= 0.9
    button = max(button, width / columns)  # fill the row
    shapes, labels, regions = [], [], []
    for number, (name, enabled) in enumerate(names.items()):
        x, y = MARGIN + number % columns * button, top + number // columns * pitch
        gap = size / 8
        color, text = (_BUTTON, _TEXT) if enabled else (_BUTTON_FADED, _TEXT_FADED)
        shapes.append(rounded_rect(color, x + gap, y + gap, button - 2 * gap, pitch - 2 * gap, radius=size / 2))
        labels.append(Label(name, x + button / 2, y + pitch / 2, size, text))
        regions.append(Region(name, x, y, button, pitch))
    rows = math.ceil(len(names) / columns)
    return _Buttons("".join(shapes), tuple(labels), tuple(regions), min(columns, len(names)) * button, rows * pitch)
