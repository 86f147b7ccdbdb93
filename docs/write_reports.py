"""Write the pages on the course reports: ``python docs/write_reports.py``, from the results in ``docs/reports``.

``make reports`` runs the sections first. A test compares the pages with this script.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from ci_envs.reports.catalog import REPORTS, sections
from ci_envs.reports.description import AsPrinted
from ci_envs.reports.results import kept_findings
from ci_envs.reports.section import Findings, RunOptions, Section
from ci_envs.reports.sources import SourceKind
from ci_envs.reports.tables import COLUMNS, SOURCE_LEGEND, claim_cells, footnotes, table_cells

FOLDER = Path(__file__).parent / "reports"

_LEGEND = f"""
- *report*: the published figure, with a mark for its source: {SOURCE_LEGEND}.
- *literal*: the figure of a re-implementation that keeps the bugs of the report.
- *95% of measurements*: the interval of the literal figure. It contains 95% of the measurements with as many games as
  in the report, or the middle 95% of our runs.
- *described*: the figure of what the report describes, with its bugs repaired.
- *ours*: our best result under the same conditions.
- *sample*: the games or runs behind our figures. A verdict is computed from their 95% confidence intervals.
"""

_INDEX = """# Course reports

The project grew out of five course reports and blogs about board games and optimisation. Each of their sections is
reproduced here. For each figure, the pages show four values side by side:
{legend}
| report | sections |
|---|---|
| [A: first course report](report_a.md) | A1 set covering, A2 Nim, A3 black box, A4 tic-tac-toe, A5 to A7 Quixo |
| [B: second course report](report_b.md) | B1, B2 set covering, B31 to B34 Nim, B5 Quarto |
| [C: Monte Carlo tree search](report_c.md) | C tic-tac-toe |
| [D: Quixo by a team](report_d.md) | D1 to D5 |
| [E: AlphaZero](report_e.md) | E four in a row on 6 x 6 |

Not all figures in the column *report* stand in the reports. The number of figures by source:

{sources}

`ci-envs reports` lists the sections, and `ci-envs reports B31` runs one: it prints the table and the verdicts on the
claims of the report, and saves plots. `--quick` takes a few minutes for all sections. `make reports` runs all sections
in full and writes these pages.
"""


def page(letter: str) -> str:
    """Return the page of a report in Markdown.

    Raises:
        FileNotFoundError: A section has not been run.
    """
    parts = [
        f"# Report {letter}: {REPORTS[letter]}",
        f"`make reports` writes this page. The columns of its tables:\n{_LEGEND}",
    ]
    for section, findings in _all_findings().items():
        if section.startswith(letter):
            parts += _section_parts(sections()[section], findings)
    return "\n\n".join(part.strip() for part in parts) + "\n"


def index() -> str:
    """Return the page with the list of reports, and the number of figures by source.

    Raises:
        FileNotFoundError: A section has not been run.
    """
    return _INDEX.format(legend=_LEGEND, sources=_source_table())


def _source_table() -> str:
    """Return the table of the number of published figures by report and kind of source."""
    counts = {letter: Counter[SourceKind]() for letter in REPORTS}
    for name, findings in _all_findings().items():
        counts[name[0]].update(row.report.source.kind for row in findings.rows if row.report is not None)
    counts["all"] = sum(counts.values(), Counter())
    lines = [
        [letter, *(str(count[kind]) for kind in SourceKind), str(count.total())] for letter, count in counts.items()
    ]
    return _table(("report", *SourceKind, "all"), lines)


@cache
def _all_findings() -> Mapping[str, Findings]:
    """Return the findings of the full run of each section by name."""
    found = {}
    for section in sections().values():
        findings = kept_findings(section, RunOptions(), FOLDER)
        if findings is None:
            raise FileNotFoundError(f"{FOLDER} has no results of a full run of {section.name}: run `make reports`")
        found[section.name] = findings
    return found


def write() -> None:
    """Write the pages of all reports."""
    for letter in REPORTS:
        (FOLDER / f"report_{letter.lower()}.md").write_text(page(letter))
    (FOLDER / "index.md").write_text(index())


def _section_parts(section: Section, findings: Findings) -> Iterator[str]:
    texts = section.description
    yield f"## {texts.name}: {texts.title}"
    yield f"{texts.purpose} **What we found:** {texts.conclusion.fill(findings.by_quantity)}"
    yield f"```bash\nci-envs reports {texts.name}\n```"
    yield f"{texts.conditions} Game: `{texts.game}`."
    yield from _printed_parts(texts.as_printed)
    yield _table(COLUMNS, table_cells(findings.rows))
    yield from footnotes(findings.rows)
    for name in (section.name, *(f"{section.name}_{plot.name}" for plot in findings.plots)):
        yield f"![Plot {name.replace('_', ': ', 1)}]({name}.png)"
    if texts.claims:
        yield _table(("claim", "verdict", "why"), claim_cells(section, findings))
    agents = [f"`report:{name}`" for name in section.agents]
    solvers = [f"`report:{name}`" for name in section.solvers]
    for kind, names in (("Agents", agents), ("Solvers", solvers)):
        if names:
            yield f"{kind}: {', '.join(names)}."


def _printed_parts(box: AsPrinted) -> Iterator[str]:
    """Yield the box with what the report prints, and the bugs that the literal version keeps."""
    yield f"**As printed.** {box.method} *Parameters:* {box.parameters}"
    if box.pseudo_code:
        yield f"```text\n{box.pseudo_code.strip()}\n```"
    if box.bugs:
        bugs = (f"- {bug.text} `{bug.code}` ({bug.file}, line {bug.line})" for bug in box.bugs)
        yield "*Bugs that the literal version keeps:*\n\n" + "\n".join(bugs)
    yield from filter(None, [box.after])


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows))


if __name__ == "__main__":
    write()
