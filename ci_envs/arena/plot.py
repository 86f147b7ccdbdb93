"""A comparison as a figure: the ratings with their intervals, and the scores of all pairs of agents."""

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from ci_envs.arena.tournament import Comparison
from ci_envs.drawing.figure_file import figure_type

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_LABEL_WIDTH = 28  # characters


def draw_comparison(comparison: Comparison) -> "Figure":
    """Return a figure with the ratings on the left and the scores of all pairs on the right, best agents first.

    Raises:
        ImportError: matplotlib is not installed.
    """
    labels = sorted(comparison.ratings, key=lambda label: -comparison.ratings[label].elo)
    figure = figure_type()(figsize=(5 + 1.1 * len(labels), 1.6 + 0.6 * len(labels)), layout="constrained")
    left, right = figure.subplots(1, 2)
    _draw_ratings(left, comparison, labels)
    _draw_scores(right, comparison, labels)
    figure.suptitle(f"{comparison.environment}, {comparison.games} games a pair")
    return figure


def _draw_ratings(axes: "Axes", comparison: Comparison, labels: list[str]) -> None:
    ratings = [comparison.ratings[label] for label in labels]
    elo = np.array([rating.elo for rating in ratings])
    errors = [elo - [rating.low for rating in ratings], [rating.high for rating in ratings] - elo]
    axes.errorbar(elo, range(len(labels)), xerr=errors, fmt="o", capsize=3)
    axes.set_yticks(range(len(labels)), _wrapped(labels))
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_xlabel("Elo, with 95% interval")
    axes.grid(axis="x", alpha=0.3)


def _draw_scores(axes: "Axes", comparison: Comparison, labels: list[str]) -> None:
    scores = np.full((len(labels), len(labels)), np.nan)
    for pairing in comparison.pairings:
        row, column = map(labels.index, pairing.labels)
        scores[row, column] = 100 * pairing.match.sides[0].total.score
        scores[column, row] = 100 - scores[row, column]
    axes.imshow(scores, cmap="RdYlGn", alpha=0.7, vmin=0, vmax=100)
    for row, column in np.argwhere(~np.isnan(scores)):
        axes.text(column, row, f"{scores[row, column]:.0f}", ha="center", va="center")
    axes.set_xticks(range(len(labels)), _wrapped(labels), rotation=90)
    axes.set_yticks(range(len(labels)), _wrapped(labels))
    axes.set_title("score %, row against column", fontsize="medium")


def _wrapped(labels: list[str]) -> list[str]:
    """Break long spec strings after commas, to leave enough room for the plots."""
    return ["\n".join(textwrap.wrap(label.replace(",", ", "), _LABEL_WIDTH)).replace(", ", ",") for label in labels]
