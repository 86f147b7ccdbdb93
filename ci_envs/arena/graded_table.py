"""A table of the accuracy of agents, with the number of graded actions and an interval for each share."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from ci_envs.arena.agent_table import agent_table
from ci_envs.arena.grading import Accuracy

SHARE_NOTES = (
    "Keeps: actions that keep the value. Best: the same, and they win as fast or lose as slowly as possible.",
    "critical: only positions in which some legal action loses value. Intervals: Wilson.",
)
"""The meaning of the shares."""


def graded_table(title: str, rows: Sequence[tuple[str, Accuracy, tuple[str, str]]], lost: str) -> Table:
    """Return a table with two rows for each agent: all positions, and the critical ones.

    Args:
        title: The title.
        rows: The label and the accuracy of each agent, and its lost points in both rows as text.
        lost: The name of the column of lost points.
    """
    columns = "Graded", "Keeps %", "95% interval", "Best %", "95% interval", lost
    table = agent_table(title, columns, collapse_padding=True)
    for label, accuracy, points in rows:
        tallies = accuracy.everywhere, accuracy.critical
        for name, tally, text in zip((label, "  critical"), tallies, points, strict=True):
            table.add_row(Text(name), f"{tally.decisions:,}", *tally.keeps.cells(), *tally.best.cells(), text)
        table.add_section()
    return table
