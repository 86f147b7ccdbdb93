"""A comparison as a figure: the ratings with their intervals, and the scores of all pairs of agents."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ci_envs.arena.ratings import Rating
from ci_envs.arena.tournament import Comparison
from ci_envs.drawing.figure_file import figure_type
from ci_envs.drawing.plot_style import SHARES, literal, short_names, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Scores = Mapping[tuple[str, str], float]
"""The share of the points that the first agent of a pair gets against the second one, from 0 to 1."""


def draw_comparison(comparison: Comparison) -> "Figure":
    """Return a figure with the ratings on the left and the scores of all pairs on the right, best agents first.

    Raises:
        ImportError: matplotlib is not installed.
    """
    scores = {pairing.labels: pairing.match.sides[0].total.score for pairing in comparison.pairings}
    return draw_strength(f"{comparison.environment}, {comparison.games} games a pair", comparison.ratings, scores)


@styled
def draw_strength(title: str, ratings: Mapping[str, Rating], scores: Scores) -> "Figure":
    """Return a figure with the ratings of agents and the scores of their matches, best agents first.

    Args:
        title: The title of the figure.
        ratings: The rating of each agent.
        scores: The scores, one for each match.

    Raises:
        ImportError: matplotlib is not installed.
    """
    labels = sorted(ratings, key=lambda label: -ratings[label].elo)
    figure = figure_type()(figsize=(5 + 0.75 * len(labels), 2 + 0.42 * len(labels)), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_ratings(left, [ratings[label] for label in labels], short_names(labels))
    _draw_scores(right, scores, labels)
    figure.suptitle(literal(title))
    return figure


def _draw_ratings(axes: "Axes", ratings: list[Rating], names: list[str]) -> None:
    elo = np.array([rating.elo for rating in ratings])
    errors = [elo - [rating.low for rating in ratings], [rating.high for rating in ratings] - elo]
    axes.errorbar(elo, range(len(names)), xerr=errors, fmt="o", capsize=3)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel("Elo, with 95% interval")
    axes.grid(visible=False, axis="y")


def _draw_scores(axes: "Axes", scores: Scores, labels: list[str]) -> None:
    table = np.full((len(labels), len(labels)), np.nan)
    for pair, score in scores.items():
        row, column = map(labels.index, pair)
        table[row, column], table[column, row] = 100 * score, 100 - 100 * score
    axes.imshow(table, cmap=SHARES, alpha=0.6, vmin=0, vmax=100)
    for row, column in np.argwhere(~np.isnan(table)):
        axes.text(column, row, f"{table[row, column]:.0f}", ha="center", va="center")
    names = short_names(labels)
    axes.set_xticks(range(len(labels)), names, rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(labels)), names)
    axes.grid(visible=False)
    axes.set_title("score %, row against column", fontsize="medium")
