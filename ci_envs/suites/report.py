"""The grades of agents on a suite as tables and as plain data."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ci_envs.arena.accuracy import accuracy_rows
from ci_envs.arena.agent_table import agent_table
from ci_envs.suites.candidates import PHASES
from ci_envs.suites.grade import Grade, total_skill

Graded = tuple[str, Sequence[Grade]]
"""The label of an agent and its grades, one for each environment that it plays."""

_COLUMN_GROUPS = (
    ("Skill", "Keep", "Critical"),
    ("Opening", "Middle", "Ending"),
    ("Regret", "Won", "Held", "ms", "Brier"),
)
"""The columns of the tables of an environment, because all together are too wide for a terminal."""

_NOTES = (
    "Skill: 100 is exact play, 0 uniformly random play; by the points that decisions give away. Total: the mean skill"
    " of all games.",
    "Keep: decisions that keep the value. Critical: the same where some legal action loses value; also by phase.",
    "Regret: points given away by a decision (win 1, draw 1/2). Won, Held: games from won and drawn positions.",
    "ms: a decision on one board. Brier: squared error of predicted results. Intervals: 95%.",
)


def suite_tables(title: str, graded: Sequence[Graded]) -> RenderableType:
    """Return the grades as tables for each environment, and a table with the totals."""
    tables = [
        _details(environment, graded, group)
        for environment in environments_of(graded)
        for group in range(len(_COLUMN_GROUPS))
    ]
    return Group(*tables, _totals(title, graded), *map(Text, _NOTES))


def suite_rows(graded: Sequence[Graded]) -> list[dict[str, Any]]:
    """Return the grades as plain data, a row for each agent and environment. Shares are from 0 to 1."""
    return [{"agent": label, **grade_row(grade)} for label, grades in graded for grade in grades]


def grade_row(grade: Grade) -> dict[str, Any]:
    """Return a grade as plain data."""
    labelled = [("all", grade.accuracy), *grade.phases.items()]
    accuracies = {row.pop("agent"): row for row in accuracy_rows(labelled)}
    return {
        "environment": grade.environment,
        "skill": asdict(grade.skill),
        "regret": asdict(grade.regret),
        "random_regret": grade.random_regret,
        "blocks": list(grade.blocks),
        **accuracies,
        "converted": grade.converted.data(),
        "held": grade.held.data(),
        "milliseconds": grade.milliseconds and asdict(grade.milliseconds),
        "calibration": grade.calibration and grade.calibration.data(),
    }


def skill_cells(graded: Sequence[Graded]) -> list[list[str]]:
    """Return a header and a row of cells for each agent, best first: the total, and the skill in each environment."""
    environments = environments_of(graded)
    rows = [["agent", "total", *environments]]
    for label, grades in by_total(graded):
        skills = {grade.environment: grade.skill.text(1) for grade in grades}
        total = total_skill(grades).text(1) if len(grades) == len(environments) else "-"
        rows.append([label, total, *(skills.get(environment, "-") for environment in environments)])
    return rows


def environments_of(graded: Sequence[Graded]) -> list[str]:
    """Return the environments that some agent plays."""
    return list(dict.fromkeys(grade.environment for _, grades in graded for grade in grades))


def by_total(graded: Sequence[Graded]) -> list[Graded]:
    """Return the agents by their total, best first, and those that do not play all environments last."""
    count = len(environments_of(graded))
    return sorted(graded, key=lambda item: (len(item[1]) < count, -total_skill(item[1]).mean))


def _totals(title: str, graded: Sequence[Graded]) -> Table:
    table = agent_table(f"{title}: total", ("Total skill", "Environments"), collapse_padding=True)
    for (label, grades), (_, total, *_rest) in zip(by_total(graded), skill_cells(graded)[1:], strict=True):
        table.add_row(Text(label), total, str(len(grades)))
    return table


def _details(environment: str, graded: Sequence[Graded], group: int) -> Table:
    """Return a table with the columns of a group."""
    title = "" if group else environment
    table = agent_table(title, _COLUMN_GROUPS[group], collapse_padding=True)
    for label, grades in graded:
        for grade in grades:
            if grade.environment == environment:
                table.add_row(Text(label), *_cells(grade)[group])
    return table


def _cells(grade: Grade) -> tuple[list[str], list[str], list[str]]:
    accuracy = grade.accuracy
    decisions = [
        grade.skill.text(1),
        accuracy.everywhere.keeps.text(1),
        accuracy.critical.keeps.text(1),
    ]
    phases = [grade.phases[name].critical.keeps.text() if name in grade.phases else "-" for name in PHASES]
    others = [
        grade.regret.text(3),
        grade.converted.text(),
        grade.held.text(),
        grade.milliseconds.text(3) if grade.milliseconds else "-",
        f"{grade.calibration.brier:.3f}" if grade.calibration else "-",
    ]
    return decisions, phases, others
