"""The grades of agents on a suite as tables and as plain data."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ci_envs.arena.accuracy import accuracy_rows
from ci_envs.arena.agent_table import agent_table
from ci_envs.suites.grade import Grade, Mean, total_skill

Graded = tuple[str, Sequence[Grade]]
"""The label of an agent and its grades, one for each environment that it plays."""

_COLUMNS = "Skill", "Keep", "Critical", "Regret", "Won", "Held", "ms", "Brier"
_DECISION_COLUMNS = 4

_NOTES = (
    "Skill: 100 is exact play, 0 uniformly random play; by the points that decisions give away. Total: the mean skill.",
    "Keep: decisions that keep the value. Critical: the same where some legal action loses value.",
    "Regret: points given away by a decision (win 1, draw 1/2). Won, Held: games from won and drawn positions.",
    "ms: a decision on one board. Brier: squared error of predicted results. Intervals: 95%.",
)


def suite_tables(title: str, graded: Sequence[Graded]) -> RenderableType:
    """Return the grades as a table for each environment, and a table with the totals."""
    environments = dict.fromkeys(grade.environment for _, grades in graded for grade in grades)
    groups = slice(0, _DECISION_COLUMNS), slice(_DECISION_COLUMNS, None)
    tables = [_details(environment, graded, columns) for environment in environments for columns in groups]
    return Group(*tables, _totals(title, graded, len(environments)), *map(Text, _NOTES))


def suite_rows(graded: Sequence[Graded]) -> list[dict[str, Any]]:
    """Return the grades as plain data, a row for each agent and environment. Shares are from 0 to 1."""
    return [{"agent": label, **_row(grade)} for label, grades in graded for grade in grades]


def _row(grade: Grade) -> dict[str, Any]:
    labelled = [("all", grade.accuracy), *grade.phases.items()]
    accuracies = {row.pop("agent"): row for row in accuracy_rows(labelled)}
    return {
        "environment": grade.environment,
        "skill": asdict(grade.skill),
        "regret": asdict(grade.regret),
        "random_regret": grade.random_regret,
        **accuracies,
        "converted": grade.converted.data(),
        "held": grade.held.data(),
        "ms": grade.timing.ms if grade.timing.decisions else None,
        "calibration": asdict(grade.calibration) if grade.calibration else None,
    }


def _totals(title: str, graded: Sequence[Graded], environments: int) -> Table:
    table = agent_table(f"{title}: total", ("Total skill", "Environments", "ms"), collapse_padding=True)
    for label, grades in sorted(graded, key=lambda item: -total_skill(item[1]).mean):
        total = _skill(total_skill(grades)) if len(grades) == environments else "-"
        milliseconds = sum(grade.timing.ms for grade in grades) / len(grades)
        table.add_row(Text(label), total, str(len(grades)), f"{milliseconds:.2f}")
    return table


def _details(environment: str, graded: Sequence[Graded], columns: slice) -> Table:
    """Return a table with some of the columns, because all are too wide for a terminal."""
    table = agent_table(environment if columns.start == 0 else "", _COLUMNS[columns], collapse_padding=True)
    for label, grades in graded:
        for grade in grades:
            if grade.environment == environment:
                table.add_row(Text(label), *_cells(grade)[columns])
    return table


def _cells(grade: Grade) -> list[str]:
    accuracy = grade.accuracy
    tallies = accuracy.everywhere, accuracy.critical
    return [
        _skill(grade.skill),
        *(tally.keeps.text(1) for tally in tallies),
        f"{grade.regret.mean:.3f}",
        *(share.text() for share in (grade.converted, grade.held)),
        f"{grade.timing.ms:.2f}" if grade.timing.decisions else "-",
        f"{grade.calibration.brier:.3f}" if grade.calibration else "-",
    ]


def _skill(skill: Mean) -> str:
    return f"{skill.mean:.1f} ±{skill.margin:.1f}"
