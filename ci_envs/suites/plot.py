"""The grades of agents on a suite as a figure: the skill in each environment, and the calibration of predictions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ci_envs.drawing.figure_file import figure_type
from ci_envs.drawing.plot_style import literal, styled
from ci_envs.suites.calibration import Calibration, pooled
from ci_envs.suites.report import Graded, by_total, environments_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SPREAD = 0.6  # of the rows of an environment's agents
_LEAST_SKILL = -20


@styled
def draw_grades(title: str, graded: Sequence[Graded]) -> "Figure":
    """Return a figure with the skill of each agent in each environment, and with calibration curves.

    Raises:
        ImportError: matplotlib is not installed.
    """
    agents, environments = by_total(graded), environments_of(graded)
    figure = figure_type()(figsize=(13, 2 + 0.25 * len(environments) * max(len(agents), 2)), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    _draw_skills(left, agents, environments)
    _draw_calibration(right, agents)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    figure.suptitle(literal(title))
    return figure


def _draw_skills(axes: "Axes", agents: Sequence[Graded], environments: Sequence[str]) -> None:
    for number, (label, grades) in enumerate(agents):
        offset = _SPREAD * ((number + 0.5) / len(agents) - 0.5)
        rows = [environments.index(grade.environment) + offset for grade in grades]
        skills = [grade.skill.mean for grade in grades]
        margins = [grade.skill.margin for grade in grades]
        axes.errorbar(
            skills, rows, xerr=margins, fmt="o", markersize=4, capsize=2, label=literal(label), color=f"C{number}"
        )
    axes.set_yticks(range(len(environments)), [*map(literal, environments)])
    axes.set_ylim(len(environments) - 0.5, -0.5)
    lowest = min(grade.skill.mean for _, grades in agents for grade in grades)
    axes.set_xlim(max(lowest, _LEAST_SKILL) - 5, 105)
    axes.set_xlabel("skill, with 95% interval: 0 is random play, 100 exact play")
    axes.grid(axis="x", alpha=0.3)


def _draw_calibration(axes: "Axes", agents: Sequence[Graded]) -> None:
    axes.plot([0, 1], [0, 1], color="gray", linestyle=":")
    for number, (_, grades) in enumerate(agents):
        found = [grade.calibration for grade in grades if grade.calibration]
        if found:
            _draw_curve(axes, pooled(found), f"C{number}")
    axes.set_xlabel("predicted points")
    axes.set_ylabel("mean exact points")
    axes.set_title("calibration in all environments", fontsize="medium")
    axes.grid(alpha=0.3)


def _draw_curve(axes: "Axes", found: Calibration, color: str) -> None:
    predicted, results = [each.predicted for each in found.bins], [each.result for each in found.bins]
    axes.plot(predicted, results, "o-", color=color, markersize=4)
