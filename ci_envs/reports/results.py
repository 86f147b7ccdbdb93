"""Runs of sections. A folder stores the results, so that a finished section does not run again."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from math import inf, isfinite
from pathlib import Path
from typing import Any

from ci_envs.reports.description import Description
from ci_envs.reports.estimates import Estimate
from ci_envs.reports.rows import FigureRow
from ci_envs.reports.section import Findings, Panel, Plot, RunOptions, Section, Series
from ci_envs.storage.files import write_whole


def findings_of(section: Section, options: RunOptions, folder: Path, *, again: bool = False) -> Findings:
    """Return the findings of a section: the stored findings of a run with the same options, or those of a new run.

    Args:
        section: The section.
        options: The options of the run.
        folder: The folder of the results. It is made if it does not exist.
        again: Whether to run a finished section again.

    Raises:
        OSError: The folder cannot be written.
    """
    kept = None if again else kept_findings(section, options, folder)
    if kept is not None:
        return kept
    folder.mkdir(parents=True, exist_ok=True)
    findings = section.run(options)
    content = {"section": section.name, **_settings(options), **asdict(findings)}
    content["rows"] = [_row_content(section.description, row, options.quick) for row in findings.rows]
    write_whole(_file(section, folder), json.dumps(content, allow_nan=False).encode())
    return findings


def kept_findings(section: Section, options: RunOptions, folder: Path) -> Findings | None:
    """Return the stored findings of a section, or None if there is no run with the same options in the folder."""
    try:
        content = json.loads(_file(section, folder).read_bytes())
        if any(content[name] != value for name, value in _settings(options).items()):
            return None
        rows = [_row(section.description, row, options.quick) for row in content["rows"]]
        plots = [_plot(plot) for plot in content["plots"]]
    except (OSError, ValueError, TypeError, KeyError):  # there is no file, or it is damaged
        return None
    return Findings(tuple(rows), tuple(plots))


def json_rows(section: Section, findings: Findings) -> Iterator[dict[str, Any]]:
    """Yield each row of the findings as a dictionary of JSON values."""
    for row in findings.rows:
        described, ours = (None if one is None else one.value for one in (row.described, row.ours))
        yield {
            "section": section.name,
            "quantity": row.label,
            "report": None if row.report is None else row.report.value,
            "source": None if row.report is None else row.report.source.kind,
            "source_place": None if row.report is None else row.report.source.place,
            "literal": row.literal.value,
            "literal_low": row.literal.spread_low,
            "literal_high": row.literal.spread_high,
            "described": described,
            "ours": ours,
            "sample": row.sample,
        }


def _settings(options: RunOptions) -> dict[str, Any]:
    return {"quick": options.quick, "seed": options.seed}


def _file(section: Section, folder: Path) -> Path:
    return folder / f"{section.name}.json"


_COLUMNS = ("literal", "described", "ours")


def _row_content(description: Description, row: FigureRow, quick: bool) -> dict[str, Any]:
    """Return a row as JSON values, which have null for the unknown end of a confidence interval.

    The note is left out if it is that of the description, which can change before the next run.
    """
    note = "" if description.note(row.quantity, quick=quick) else row.note
    return {**asdict(row), **{name: _estimate_content(getattr(row, name)) for name in _COLUMNS}, "note": note}


def _estimate_content(estimate: Estimate | None) -> list[Any] | None:
    if estimate is None:
        return None
    return [None if isinstance(value, float) and not isfinite(value) else value for value in estimate]


def _row(description: Description, content: dict[str, Any], quick: bool) -> FigureRow:
    """Return a row of a file. Its published figure, its unit and its note are those of the description."""
    columns = (content[name] and _estimate(*content[name]) for name in _COLUMNS)
    return description.row(content["quantity"], *columns, note=content["note"], quick=quick)


def _estimate(value: float, low: float | None, high: float | None, *rest: Any) -> Estimate:
    return Estimate(value, -inf if low is None else low, inf if high is None else high, *rest)


def _plot(content: dict[str, Any]) -> Plot:
    panels = [Panel(panel["title"], tuple(map(_series, panel["series"]))) for panel in content["panels"]]
    return Plot(**{**content, "panels": tuple(panels)})


def _series(content: dict[str, Any]) -> Series:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in content.items()}
    return Series(**values)
