"""Draw the leaderboard: ``python docs/write_leaderboard.py`` writes ``docs/images/leaderboard.png``.

The picture shows the entries in ``docs/leaderboard``: the skill of each agent in each game, against its time.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.transforms import Bbox

sys.path.insert(0, str(Path(__file__).parents[1]))  # the package docs

from ci_envs.drawing.figure_file import figure_type, write_figure
from ci_envs.drawing.plot_style import styled
from docs.generators.leaderboard import ROOT, by_game, entries, mean_milliseconds, mean_skill

PICTURE = ROOT / "docs" / "images" / "leaderboard.png"

_LEAST_MS = 0.002
_COLORS = {"exact": "C2", "alphazero": "C3", "mcts": "C0", "minimax": "C1", "random": "C7", "report": "C4"}
_OTHERS = "C5"
_OFFSETS = [(1, 1), (1, -1), (-1, 1), (-1, -1), (0, 1.6), (0, -1.6), (1, 2.6), (1, -2.6), (-1, 2.6), (-1, -2.6)]
_ALIGNMENTS = {-1: "right", 0: "center", 1: "left"}


@styled
def draw() -> None:
    """Write the picture."""
    found = list(entries().values())
    games = list(dict.fromkeys(game for entry in found for game in by_game(entry)))
    figure = figure_type()(figsize=(13, 7.5), layout="constrained")
    panels = figure.subplots(2, 3).flatten()
    marked = [
        [_mark(axes, entry, rows) for entry in found if (rows := by_game(entry).get(game))]
        for axes, game in zip(panels, games, strict=True)
    ]
    for axes, game in zip(panels, games, strict=True):
        axes.margins(x=0.18, y=0.08)
        axes.set_xscale("log")
        axes.set_title(game, fontsize="medium")
        axes.axhline(100, color="gray", linewidth=0.5)
        axes.grid(alpha=0.3)
    figure.supxlabel("milliseconds for a decision on one board")
    figure.supylabel("skill: 0 is random play, 100 exact play")
    names = [*_COLORS, "others"]
    marks = [panels[0].scatter([], [], color=_COLORS.get(name, _OTHERS), label=name) for name in names]
    figure.legend(handles=marks, loc="outside upper center", ncols=len(names), frameon=False)
    figure.draw_without_rendering()  # the labels need the places of the points
    for axes, points in zip(panels, marked, strict=True):
        _write_labels(axes, points)
    write_figure(figure, PICTURE)


def _mark(axes: Any, entry: dict[str, Any], rows: list[dict[str, Any]]) -> tuple[tuple[float, float], str]:
    """Draw the point of an entry in the panel of a game, and return its place and label."""
    name, _, options = entry["agent"].partition(":")
    place = max(mean_milliseconds(rows), _LEAST_MS), mean_skill(rows)
    axes.scatter(*place, s=18, color=_COLORS.get(name, _OTHERS))
    label = options if name == "report" else entry["agent"].replace("simulations=", "").replace("depth=", "")
    return place, label


def _write_labels(axes: Any, points: Sequence[tuple[tuple[float, float], str]]) -> None:
    """Write the labels of points from the highest on, each beside its point, and not those without a free place."""
    taken = []
    for place, _ in points:
        x, y = axes.transData.transform(place)
        taken.append(Bbox.from_extents(x - 3, y - 3, x + 3, y + 3))
    for place, label in sorted(points, key=lambda point: -point[0][1]):
        for across, up in _OFFSETS:
            text = axes.annotate(
                label,
                place,
                xytext=(5 * across, 5 * up),
                textcoords="offset points",
                fontsize=7,
                ha=_ALIGNMENTS[across],
                va="center",
                in_layout=False,
            )
            box = text.get_window_extent()
            inside = axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1
            if inside and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            text.remove()


if __name__ == "__main__":
    draw()
