"""Runs of sections. A folder stores the results, so that a finished section does not run again."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ci_envs.reports.section import (
    Claim,
    ClaimVerdict,
    Estimate,
    FigureRow,
    Findings,
    Panel,
    Plot,
    RunOptions,
    Section,
    Series,
)
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
    write_whole(_file(section, folder), json.dumps(content).encode())
    return findings


def kept_findings(section: Section, options: RunOptions, folder: Path) -> Findings | None:
    """Return the stored findings of a section, or None if there is no run with the same options in the folder."""
    try:
        content = json.loads(_file(section, folder).read_bytes())
        if any(content[name] != value for name, value in _settings(options).items()):
            return None
        rows = [FigureRow(**{**row, "literal": Estimate(*row["literal"])}) for row in content["rows"]]
        claims = [Claim(**{**claim, "verdict": ClaimVerdict(claim["verdict"])}) for claim in content["claims"]]
        plots = [_plot(plot) for plot in content["plots"]]
    except (OSError, ValueError, TypeError, KeyError):  # there is no file, or it is damaged
        return None
    return Findings(tuple(rows), tuple(claims), tuple(plots))


def json_rows(section: Section, findings: Findings) -> Iterator[dict[str, Any]]:
    """Yield each row of the findings as a dictionary of JSON values."""
    for row in findings.rows:
        yield {
            "section": section.name,
            "quantity": row.label,
            "report": row.report,
            "literal": row.literal.value,
            "literal_low": row.literal.low,
            "literal_high": row.literal.high,
            "described": row.described,
            "ours": row.ours,
        }


def _settings(options: RunOptions) -> dict[str, Any]:
    return {"quick": options.quick, "seed": options.seed}


def _file(section: Section, folder: Path) -> Path:
    return folder / f"{section.name}.json"


def _plot(content: dict[str, Any]) -> Plot:
    panels = [Panel(panel["title"], tuple(map(_series, panel["series"]))) for panel in content["panels"]]
    return Plot(**{**content, "panels": tuple(panels)})


def _series(content: dict[str, Any]) -> Series:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in content.items()}
    return Series(**values)
