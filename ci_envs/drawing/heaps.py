"""Pictures of heaps of matches, for Nim."""

import math
from collections.abc import Sequence

from ci_envs.drawing.board import BOARD, GAP, MARGIN, STRIP, panel
from ci_envs.drawing.drawing import Drawing, Label, Region


def heaps_drawing(sizes: Sequence[int], start: Sequence[int]) -> Drawing:
    """Return a picture of heaps as rows of matches, each with its number before and its size after it. Long rows wrap.

    The regions are the matches: ``2-3`` is the third match from the end in the second heap, and ``2+1`` is the first
    shadow after this heap. Short rows are spread out, so that a finger can hit a match on a phone.

    Args:
        sizes: the matches left in each heap.
        start: the matches in each heap at the start of the game. Taken matches are shown as shadows.
    """
    largest = max(start)
    columns = min(largest, max(32, math.ceil(math.sqrt(3 * len(start) * largest))))
    lines = math.ceil(largest / columns)
    pitch = min(26, BOARD / columns, BOARD / (3 * len(start) * lines))
    step = max(pitch, min(2.6 * pitch, BOARD / columns))
    width = 2 * math.ceil(max((max(columns, 12) + 1) * pitch, columns * step) / 2)
    height = 2 * math.ceil(lines * 1.5 * pitch)
    shapes, labels, regions = [], [], []
    for heap, (size, whole) in enumerate(zip(sizes, start, strict=True)):
        top = MARGIN + heap * (height + GAP)
        middle = top + height / 2
        places = _places(max(whole, size), columns, step, pitch, (MARGIN + width / 2, middle))
        shapes.append(panel("#ffffff", MARGIN, top, width, height))
        shapes.append(_matches(places[:size], pitch, "#b3763b", "#b23a2a"))
        shapes.append(_matches(places[size:], pitch, "#eeeae2", "#eeeae2"))
        names = [f"{heap + 1}-{size - k}" if k < size else f"{heap + 1}+{k - size + 1}" for k in range(len(places))]
        regions += [Region(name, x - step / 2, y, step, 3 * pitch) for name, (x, y) in zip(names, places, strict=True)]
        labels += [Label(str(heap + 1), STRIP, middle), Label(str(size), width + 2 * MARGIN - STRIP, middle)]
    return Drawing(
        width=width + 2 * MARGIN,
        height=len(start) * (height + GAP) - GAP + 2 * MARGIN,
        shapes="".join(shapes),
        labels=tuple(labels),
        regions=tuple(regions),
    )


def _places(
    count: int, columns: int, step: float, pitch: float, middle: tuple[float, float]
) -> list[tuple[float, float]]:
    """Return the positions of ``count`` matches, row by row around ``middle``: the middles of their upper edges."""
    left = middle[0] - (min(columns, count) - 1) / 2 * step
    top = middle[1] - math.ceil(count / columns) * 1.5 * pitch
    return [(left + place % columns * step, top + place // columns * 3 * pitch) for place in range(count)]


def _matches(places: Sequence[tuple[float, float]], pitch: float, stick: str, head: str) -> str:
    """Return upright matches in cells of ``pitch`` x ``3 * pitch``, given by the middles of their upper edges."""
    if not places:
        return ""
    lines = [
        (stick, 0.26, "".join(f"M{x:.2f} {y + 0.75 * pitch:.2f}v{1.75 * pitch:.2f}" for x, y in places)),
        (head, 0.46, "".join(f"M{x:.2f} {y + 0.55 * pitch:.2f}v{0.3 * pitch:.2f}" for x, y in places)),
    ]
    return "".join(
        f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{width * pitch:.2f}" stroke-linecap="round"/>'
        for color, width, path in lines
    )
