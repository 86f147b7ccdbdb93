"""The findings of sections as tables, in a terminal and in Markdown."""

from collections import Counter
from collections.abc import Iterable, Iterator
from string import ascii_lowercase
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ci_envs.reports.estimates import EXACT, Estimate
from ci_envs.reports.rows import FigureRow
from ci_envs.reports.section import Findings, Section
from ci_envs.reports.sources import SourceKind, marks_of

COLUMNS = ("quantity", "report", "literal", "95% of measurements", "described", "ours", "sample")
"""The columns of the table of a section."""

SOURCE_LEGEND = ", ".join(f"({kind.mark}) {kind}" for kind in SourceKind)
"""The legend of the marks of the figures."""

_NOTHING = "-"
_LONG_SAMPLE = 40  # characters, above which a repeated sample is a footnote


def catalog_table(sections: Iterable[Section]) -> Table:
    """Return the list of sections with their titles, games and commands."""
    table = Table("section", "title", "game", "command", box=box.SIMPLE_HEAD)
    for section in sections:
        texts = section.description
        table.add_row(section.name, texts.title, texts.game, f"ci-envs reports {section.name}")
    return table


def catalog_rows(sections: Iterable[Section]) -> list[dict[str, Any]]:
    """Return the list of sections as JSON values, with the time of a full run."""
    texts = [section.description for section in sections]
    return [{"section": one.name, "title": one.title, "game": one.game, "seconds": one.seconds} for one in texts]


def findings_table(section: Section, findings: Findings) -> RenderableType:
    """Return the figures of a section, their sources, the notes on them, and the verdicts on the claims."""
    table = Table(title=f"{section.name}: {section.description.title}", box=box.SIMPLE_HEAD)
    quantity, *numbers, sample = COLUMNS
    table.add_column(f"{quantity}\n{sample}", overflow="fold")
    for name in numbers:
        table.add_column(name.replace(" of ", "\nof "), justify="right", no_wrap=True)
    for label, *figures, size in table_cells(findings.rows):
        table.add_row(Text(f"{label}\n").append(size, style="dim"), *map(Text, figures))
    claims = [f'"{text}" {verdict}: {why}' for text, verdict, why in claim_cells(section, findings)]
    return Group(table, *map(Text, (*footnotes(findings.rows), section.description.conditions, *claims)))


def table_cells(rows: tuple[FigureRow, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each row, in the order of :data:`COLUMNS`."""
    notes, samples, marks = _notes(rows), _long_samples(rows), marks_of(row.report for row in rows)
    for row in rows:
        figure = _NOTHING if row.report is None else f"{format_number(row.report.value)} ({marks[row.report.source]})"
        yield (
            row.label + (f" [{notes.index(row.note) + 1}]" if row.note else ""),
            figure,
            format_number(row.literal.value),
            format_spread(row.literal),
            *(_NOTHING if one is None else format_number(one.value) for one in (row.described, row.ours)),
            f"[{samples[row.sample]}]" if row.sample in samples else row.sample,
        )


def footnotes(rows: tuple[FigureRow, ...]) -> list[str]:
    """Return the sources of the figures, the different notes in their order, and the long samples."""
    marks = marks_of(row.report for row in rows)
    sources = [f"({mark}) {source.kind}: {source.place}." for source, mark in marks.items()]
    notes = (f"[{number}] {note}" for number, note in enumerate(_notes(rows), 1))
    return [*sources, *notes, *(f"[{mark}] Sample: {sample}." for sample, mark in _long_samples(rows).items())]


def claim_cells(section: Section, findings: Findings) -> Iterator[tuple[str, str, str]]:
    """Yield each claim with its verdict and the reason."""
    for claim in section.description.claims:
        decision = claim.verdict(findings.by_quantity)
        yield claim.text, decision.text, decision.explanation


def format_number(value: float) -> str:
    """Return a figure as text with up to four digits."""
    return f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"


def format_spread(estimate: Estimate) -> str:
    """Return the interval of 95% of the measurements as text, ``exact``, or a dash for a single run."""
    low, high = estimate.spread_low, estimate.spread_high
    if low == high:
        return EXACT if estimate.sample == EXACT else _NOTHING
    return f"{format_number(low)} to {format_number(high)}"


def _long_samples(rows: tuple[FigureRow, ...]) -> dict[str, str]:
    """Return the letter that stands for each long sample of several rows."""
    counts = Counter(row.sample for row in rows if len(row.sample) > _LONG_SAMPLE)
    return dict(zip((sample for sample, count in counts.items() if count > 1), ascii_lowercase, strict=False))


def _notes(rows: tuple[FigureRow, ...]) -> list[str]:
    """Return the different notes in their order."""
    return list(dict.fromkeys(row.note for row in rows if row.note))
