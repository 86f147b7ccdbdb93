"""Write the pages on the course reports: ``python docs/write_reports.py``, from the results in ``docs/reports``.

``make reports`` runs the sections first. A test compares the pages with this script.
"""

from collections.abc import Iterator
from pathlib import Path

from ci_envs.reports.catalog import REPORTS, sections
from ci_envs.reports.results import kept_findings
from ci_envs.reports.section import FigureRow, Findings, RunOptions, Section
from ci_envs.reports.tables import format_interval, format_number

FOLDER = Path(__file__).parent / "reports"

_COLUMNS = """
- *report*: the figure that report {letter} prints.
- *literal*: the figure of a re-implementation that keeps the bugs of report {letter}, with its 95% interval.
- *described*: the figure of what report {letter} describes, with its bugs repaired.
- *ours*: our best result under the same conditions.
"""


def page(letter: str) -> str:
    """Return the page of a report in Markdown.

    Raises:
        FileNotFoundError: A section has not been run.
    """
    parts = [
        f"# Report {letter}: {REPORTS[letter]}",
        f"`make reports` writes this page. The columns of its tables:\n{_COLUMNS.format(letter=letter)}",
    ]
    for section in sections().values():
        if section.name.startswith(letter):
            findings = kept_findings(section, RunOptions(), FOLDER)
            if findings is None:
                raise FileNotFoundError(f"{FOLDER} has no results of a full run of {section.name}: run `make reports`")
            parts += _section_parts(section, findings)
    return "\n\n".join(part.strip() for part in parts) + "\n"


def write() -> None:
    """Write the pages of all reports."""
    for letter in REPORTS:
        (FOLDER / f"report_{letter.lower()}.md").write_text(page(letter))


def _section_parts(section: Section, findings: Findings) -> Iterator[str]:
    yield f"## {section.name}: {section.title}"
    yield f"{section.purpose} **What we found:** {section.conclusion_of(findings)}"
    yield f"```bash\nci-envs reports {section.name}\n```"
    yield f"{section.conditions} Game: `{section.game}`."
    yield _table(findings.rows)
    yield from (f"[{number}] {note}" for number, note in enumerate(_notes(findings.rows), 1))
    for name in (section.name, *(f"{section.name}_{plot.name}" for plot in findings.plots)):
        yield f"![Plot {name.replace('_', ': ', 1)}]({name}.png)"
    if findings.claims:
        yield "| claim | verdict | why |\n|---|---|---|\n" + "\n".join(
            f"| {claim.text} | {claim.verdict} | {claim.explanation} |" for claim in findings.claims
        )
    agents = [f"`report:{name}`" for name in section.agents]
    solvers = [f"`report:{name}`" for name in section.solvers]
    for kind, names in (("Agents", agents), ("Solvers", solvers)):
        if names:
            yield f"{kind}: {', '.join(names)}."


def _table(rows: tuple[FigureRow, ...]) -> str:
    notes = _notes(rows)
    lines = ["| quantity | report | literal | 95% interval | described | ours |", "|---|---|---|---|---|---|"]
    for row in rows:
        mark = f" [{notes.index(row.note) + 1}]" if row.note else ""
        cells = (
            row.label + mark,
            format_number(row.report),
            format_number(row.literal.value),
            format_interval(row.literal),
            format_number(row.described),
            format_number(row.ours),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _notes(rows: tuple[FigureRow, ...]) -> list[str]:
    """Return the different notes in their order."""
    return list(dict.fromkeys(row.note for row in rows if row.note))


if __name__ == "__main__":
    write()
