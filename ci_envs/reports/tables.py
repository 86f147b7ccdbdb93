"""The findings of sections as tables in a terminal."""

from collections.abc import Iterable
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ci_envs.reports.section import Estimate, Findings, Section

_NOTHING = "-"


def catalog_table(sections: Iterable[Section]) -> Table:
    """Return the list of sections with their titles, games and commands."""
    table = Table("section", "title", "game", "command", box=box.SIMPLE_HEAD)
    for section in sections:
        table.add_row(section.name, section.title, section.game, f"ci-envs reports {section.name}")
    return table


def catalog_rows(sections: Iterable[Section]) -> list[dict[str, Any]]:
    """Return the list of sections as JSON values, with the time of a full run."""
    return [
        {"section": section.name, "title": section.title, "game": section.game, "seconds": section.seconds}
        for section in sections
    ]


def findings_table(section: Section, findings: Findings) -> RenderableType:
    """Return the figures of a section, the notes on them, and the verdicts on the claims."""
    table = Table(title=f"{section.name}: {section.title}", box=box.SIMPLE_HEAD)
    table.add_column("quantity", overflow="fold")
    for name in ("report", "literal", "95% interval", "described", "ours"):
        table.add_column(name, justify="right", no_wrap=True)
    notes: list[str] = []
    for row in findings.rows:
        mark = ""
        if row.note:
            notes += [] if row.note in notes else [row.note]
            mark = f" [{notes.index(row.note) + 1}]"
        table.add_row(
            Text(row.label + mark),
            format_number(row.report),
            format_number(row.literal.value),
            format_interval(row.literal),
            format_number(row.described),
            format_number(row.ours),
        )
    lines = [Text(f"[{number}] {note}") for number, note in enumerate(notes, 1)]
    claims = [Text(f'"{claim.text}" {claim.verdict}: {claim.explanation}') for claim in findings.claims]
    return Group(table, *lines, Text(section.conditions), *claims)


def format_number(value: float | None) -> str:
    """Return a figure as text with up to four digits, or a dash for None."""
    return _NOTHING if value is None else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def format_whole(value: float | None) -> str:
    """Return a figure as text without decimals, or a dash for None."""
    return _NOTHING if value is None else f"{value:,.0f}"


def format_interval(estimate: Estimate) -> str:
    """Return the ends of an interval as text, or ``exact`` if they are equal."""
    if estimate.low == estimate.high:
        return "exact"
    return f"{format_number(estimate.low)} to {format_number(estimate.high)}"
