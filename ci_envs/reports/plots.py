"""The figures of a section as a picture."""

import io
from pathlib import Path

from ci_envs.reports.section import Findings, Section
from ci_envs.storage.files import write_whole

FORMATS = ("png", "svg")


def save_plot(section: Section, findings: Findings, folder: Path) -> list[Path]:
    """Draw every row as a line with the four figures and the literal interval, and return the files (PNG and SVG).

    Raises:
        ImportError: matplotlib is not installed.
        OSError: The folder cannot be written.
    """
    from matplotlib.figure import Figure

    rows = findings.rows[::-1]  # the first row at the top
    places = range(len(rows))
    figure = Figure(figsize=(9, 1.5 + 0.35 * len(rows)), layout="constrained")
    axes = figure.subplots()
    ends = [row.literal.low for row in rows], [row.literal.high for row in rows]
    axes.hlines(places, *ends, colors="0.7", linewidth=6)
    for name, marker, values in (
        ("report", "x", [row.report for row in rows]),
        ("literal", "o", [row.literal.value for row in rows]),
        ("described", "s", [row.described for row in rows]),
        ("ours", "*", [row.ours for row in rows]),
    ):
        known = [(value, place) for value, place in zip(values, places, strict=True) if value is not None]
        axes.scatter([value for value, _ in known], [place for _, place in known], marker=marker, label=name, zorder=2)
    axes.set_yticks(places, [row.quantity for row in rows])
    axes.set_title(f"{section.name}: {section.title}")
    axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside lower center", ncols=4)
    files = []
    for kind in FORMATS:
        content = io.BytesIO()
        figure.savefig(content, format=kind)
        files.append(folder / f"{section.name}.{kind}")
        write_whole(files[-1], content.getvalue())
    return files
