"""Buttons below a picture, for actions that are not at a place of the board."""

import math
from collections.abc import Mapping
from dataclasses import replace

from ci_envs.drawing.board import GAP, MARGIN, rounded_rect
from ci_envs.drawing.drawing import Drawing, Label, Region

_BUTTON, _BUTTON_FADED, _TEXT, _TEXT_FADED = "#ffffff", "#f1eee8", "#3d3a36", "#bdb7ad"
_HIGHEST = 240  # pixels; a larger number of buttons is scaled down
_NARROWEST = 240  # pixels, so that a narrow board leaves room for buttons


def with_buttons(drawing: Drawing, buttons: Mapping[str, bool]) -> Drawing:
    """Return a picture with a row of buttons below it, or several rows. Each button is a region.

    Args:
        drawing: The picture.
        buttons: Whether each button can be clicked, by name. The other buttons are faded.

    Examples:
        >>> from ci_envs.games import hex_drawing, with_buttons
        >>> [region.name for region in with_buttons(hex_drawing([".X"]), {"swap": True}).regions]
        ['a1', 'b1', 'swap']
    """
    if not buttons:
        return drawing
    room = max(drawing.width - 2 * MARGIN, _NARROWEST)
    size, width, columns = _size(list(buttons), room)
    pitch, top, gap = 2 * size, drawing.height - MARGIN + GAP, size / 8
    shapes, labels, regions = [], [], []
    for number, (name, enabled) in enumerate(buttons.items()):
        x, y = MARGIN + number % columns * width, top + number // columns * pitch
        color, text = (_BUTTON, _TEXT) if enabled else (_BUTTON_FADED, _TEXT_FADED)
        shapes.append(rounded_rect(color, x + gap, y + gap, width - 2 * gap, pitch - 2 * gap, radius=size / 2))
        labels.append(Label(name, x + width / 2, y + pitch / 2, size, text))
        regions.append(Region(name, x, y, width, pitch))
    right, bottom = min(columns, len(buttons)) * width + MARGIN, regions[-1].y + pitch
    return replace(
        drawing,
        width=max(drawing.width, 2 * math.ceil((right + MARGIN) / 2)),
        height=2 * math.ceil((bottom + MARGIN) / 2),
        shapes=drawing.shapes + "".join(shapes),
        labels=(*drawing.labels, *labels),
        regions=(*drawing.regions, *regions),
    )


def _size(names: list[str], room: float) -> tuple[float, float, int]:
    """Return the font size and the width of a button, and the number of buttons in a row."""
    size = 15.0
    while True:
        width = max(0.65 * size * max(map(len, names)) + size, 2.5 * size)
        columns = max(1, int(room // width))
        if math.ceil(len(names) / columns) * 2 * size <= _HIGHEST or size < 4:
            return size, max(width, room / columns), columns  # fill the row
        size *= 0.9
