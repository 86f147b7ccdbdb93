"""Draw the leaderboard: ``python docs/write_leaderboard.py`` writes ``docs/images/leaderboard.png``.

The picture shows the entries in ``docs/leaderboard``: the skill of each agent in each game, against its time.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the package docs

from ci_envs.drawing.figure_file import figure_type, write_figure
from ci_envs.drawing.plot_style import styled
from docs.generators.leaderboard import ROOT, by_game, entries, mean_milliseconds, mean_skill

PICTURE = ROOT / "docs" / "images" / "leaderboard.png"

_LEAST_MS = 0.002
_COLORS = {"exact": "C2", "alphazero": "C3", "mcts": "C0", "minimax": "C1", "random": "C7", "report": "C4"}
_OTHERS = "C5"


@styled
def draw() -> None:
    """Write the picture."""
    found = list(entries().values())
    games = list(dict.fromkeys(game for entry in found for game in by_game(entry)))
    figure = figure_type()(figsize=(13, 7.5), layout="constrained")
    panels = figure.subplots(2, 3).flat
    for axes, game in zip(panels, games, strict=True):
        for entry in found:
            if rows := by_game(entry).get(game):
                name, _, options = entry["agent"].partition(":")
                place = max(mean_milliseconds(rows), _LEAST_MS), mean_skill(rows)
                axes.scatter(*place, s=18, color=_COLORS.get(name, _OTHERS))
                label = (
                    options if name == "report" else entry["agent"].replace("simulations=", "").replace("depth=", "")
                )
                axes.annotate(label, place, xytext=(3, 3), textcoords="offset points", fontsize=7)
        axes.margins(x=0.18, y=0.08)
        axes.set_xscale("log")
        axes.set_title(game, fontsize="medium")
        axes.axhline(100, color="gray", linewidth=0.5)
    figure.supxlabel("milliseconds for a decision on one board")
    figure.supylabel("skill: 0 is random play, 100 exact play")
    names = [*_COLORS, "others"]
    marks = [panels[0].scatter([], [], color=_COLORS.get(name, _OTHERS), label=name) for name in names]
    figure.legend(handles=marks, loc="outside upper center", ncols=len(names))
    write_figure(figure, PICTURE)


if __name__ == "__main__":
    draw()
