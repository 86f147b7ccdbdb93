"""Drawings of optimisation problems: how often each element is covered, and the curve of the best fitness."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from ci_envs.drawing.drawing import Drawing, Label

_SIDE, _MARGIN = 480, 40
_COLORS = ("#e4dfd5", "#a9cbe0", "#6ea3c6", "#3f7cab", "#1d5480", "#123a5a")  # of elements covered 0, 1, ... times
_LINE = "#bd4a2c"


def coverage_drawing(counts: NDArray[np.int64], cost: float) -> Drawing:
    """Draw one square per element. A square is darker if more selected sets contain the element.

    Args:
        counts: the number of selected sets that contain each element, int64 of shape (elements,).
        cost: the cost of the selected sets.
    """
    columns = ceil(sqrt(len(counts)))
    side = _SIDE / columns
    gap = min(2.0, side / 10)
    squares = "".join(
        f'<rect x="{_MARGIN + element % columns * side:.2f}" y="{_MARGIN + element // columns * side:.2f}"'
        f' width="{side - gap:.2f}" height="{side - gap:.2f}" fill="{_COLORS[min(count, len(_COLORS) - 1)]}"/>'
        for element, count in enumerate(counts.tolist())
    )
    covered = int(np.count_nonzero(counts))
    caption = f"{covered:,} of {len(counts):,} covered, {int(counts.sum()) - covered:,} repetitions, cost {cost:g}"
    size = _SIDE + 2 * _MARGIN
    return Drawing(size, size, squares, (Label(caption, size / 2, _MARGIN / 2),))


def curve_drawing(points: Sequence[tuple[int, float]], calls: int) -> Drawing:
    """Draw the best fitness by the number of calls, as a step curve.

    Args:
        points: ``(calls, fitness)`` of each improvement, in order.
        calls: the number of calls so far.
    """
    low, high = points[0][1], points[-1][1]
    height = (high - low) or 1.0

    def at(call: int, fitness: float) -> str:
        x = _MARGIN + _SIDE * call / max(calls, 1)
        return f"{x:.1f} {_MARGIN + _SIDE * (1 - (fitness - low) / height):.1f}"

    steps = [f"M{at(points[0][0], low)}"]
    for (_, before), (call, fitness) in pairwise(points):
        steps += [f"L{at(call, before)}", f"L{at(call, fitness)}"]
    steps.append(f"L{at(calls, high)}")
    edge = _MARGIN + _SIDE
    frame = f'<path d="M{_MARGIN} {_MARGIN}V{edge}H{edge}" fill="none" stroke="#6b665d" stroke-width="2"/>'
    line = f'<path d="{"".join(steps)}" fill="none" stroke="{_LINE}" stroke-width="3"/>'
    size = _SIDE + 2 * _MARGIN
    labels = (
        Label(f"best fitness {high:.4g}, initially {low:.4g}", size / 2, _MARGIN / 2),
        Label(f"{calls:,} calls", size / 2, size - _MARGIN / 2),
    )
    return Drawing(size, size, frame + line, labels)
