"""The plots of a section: an overview of its figures, and the plots of its report."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ci_envs.drawing.figure_file import figure_type, write_figure
from ci_envs.drawing.plot_style import styled
from ci_envs.reports.rows import FigureRow
from ci_envs.reports.section import Findings, Panel, Plot, Section, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg")

_LOGARITHMIC = 100
"""The axis is logarithmic if the figures differ by more than this factor, or reach from 0 to more than its square."""

_MARKERS = "x+"  # of the series of marks of a panel
_LEGEND_WIDTH = 85  # characters, above which a legend has fewer columns
_COLUMNS = 5  # maximum number of panels in a row


@styled
def save_plots(section: Section, findings: Findings, folder: Path) -> list[Path]:
    """Draw the overview of a section and the plots of its report, and return the files (PNG and SVG).

    Raises:
        ImportError: matplotlib is not installed.
        OSError: The folder cannot be written.
    """
    files = []
    for name, figure in _figures(section, findings):
        for kind in FORMATS:
            files.append(folder / f"{name}.{kind}")
            settings = {"svg.hashsalt": name, "svg.fonttype": "none"}  # text instead of paths
            write_figure(figure, files[-1], **settings, **{"savefig.dpi": "figure"})
    return files


def _figures(section: Section, findings: Findings) -> "Iterator[tuple[str, Figure]]":
    yield section.name, _overview(section, findings)
    for plot in findings.plots:
        yield f"{section.name}_{plot.name}", _figure_of(section, plot)


def _overview(section: Section, findings: Findings) -> "Figure":
    """Draw each row with its four figures and the interval of the literal version, and a panel for each unit."""
    units = dict.fromkeys(row.unit for row in findings.rows)
    groups = [[row for row in findings.rows if row.unit == unit] for unit in units]
    figure = figure_type()(figsize=(9, 1 + 0.5 * len(groups) + 0.42 * len(findings.rows)), layout="constrained")
    panels = figure.subplots(len(groups), squeeze=False, height_ratios=[len(rows) + 1 for rows in groups])[:, 0]
    for axes, unit, rows in zip(panels, units, groups, strict=True):
        _draw_rows(axes, rows)
        axes.set_xlabel(unit)
    figure.suptitle(f"{section.name}: {section.description.title}")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return figure


def _draw_rows(axes: "Axes", rows: Sequence[FigureRow]) -> None:
    rows = rows[::-1]  # the first row at the top
    places = np.arange(len(rows))
    columns: list[tuple[str, str, list[float | None]]] = [
        ("report", "x", [None if row.report is None else row.report.value for row in rows]),
        *(
            (name, marker, [row.columns[name].value if name in row.columns else None for row in rows])
            for name, marker in (("literal", "o"), ("described", "s"), ("ours", "*"))
        ),
    ]
    heights = [places + 0.27 - 0.18 * number for number in range(len(columns))]  # equal figures stay visible
    drawn: list[float] = []
    for (name, marker, values), own_heights in zip(columns, heights, strict=True):
        known = [(value, height) for value, height in zip(values, own_heights, strict=True) if value is not None]
        drawn += [value for value, _ in known]
        axes.scatter([x for x, _ in known], [y for _, y in known], s=24, marker=marker, label=name, zorder=2)
    lows, highs = ([getattr(row.literal, f"spread_{end}") for row in rows] for end in ("low", "high"))
    axes.hlines(heights[1], lows, highs, colors="C1")
    for place in places[1:]:
        axes.axhline(place - 0.5, color="0.9", lw=0.8, zorder=0)
    least, most = min(drawn), max(drawn)
    if 0 < _LOGARITHMIC * least < most:
        axes.set_xscale("log")
    elif least == 0 and most > _LOGARITHMIC**2:
        axes.set_xscale("symlog")
        axes.set_xlim(-1, 2 * most)
    axes.set_yticks(places, [row.quantity for row in rows])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.grid(visible=False, axis="y")


def _figure_of(section: Section, plot: Plot) -> "Figure":
    lines = -(-len(plot.panels) // _COLUMNS)
    columns = -(-len(plot.panels) // lines)
    figure = figure_type()(figsize=(max(7.0, 3.2 * columns), 1 + 3.4 * lines), layout="constrained")
    table = figure.subplots(lines, columns, squeeze=False, sharey=True)
    grid = list(table.flat)
    brightest = max((value for panel in plot.panels for series in panel.series for value in series.values), default=0)
    for axes, panel in zip(grid, plot.panels, strict=False):
        for series in panel.series:
            _draw_series(axes, series, panel, brightest)
        axes.set_title(panel.title)
    for axes in grid[len(plot.panels) :]:
        axes.set_axis_off()
    for axes in table[-1]:
        axes.set_xlabel(plot.x_label)
    for axes in table[:, 0]:
        axes.set_ylabel(plot.y_label)
    if brightest:
        figure.colorbar(grid[0].collections[0], ax=table)
    handles, labels = grid[0].get_legend_handles_labels()
    if labels:
        columns = 4 if 4 * max(map(len, labels)) < _LEGEND_WIDTH else 2
        figure.legend(handles, labels, loc="outside lower center", ncols=columns)
    figure.suptitle(f"{section.name}: {plot.title}")
    return figure


def _draw_series(axes: "Axes", series: Series, panel: Panel, brightest: float) -> None:
    label = series.label or None
    bars, marks = ([one for one in panel.series if one.kind == kind] for kind in ("bars", "marks"))
    if series.kind == "line":
        axes.plot(series.x, series.y, label=label)
    elif series.kind == "dots":
        axes.scatter(series.x, series.y, s=6, color="0.4", label=label)
    elif series.kind == "bars":
        width = 0.8 / len(bars)
        axes.bar(_places(series.x, bars, bars.index(series)), series.y, width, label=label)
        axes.set_xticks(range(len(series.x)), [str(x) for x in series.x])
        axes.grid(visible=False, axis="x")
    elif series.kind == "marks":
        marker = _MARKERS[marks.index(series) % len(_MARKERS)]
        axes.scatter(_places(series.x, bars, 0), series.y, marker=marker, color="k", label=label, zorder=3)
    else:
        columns, places = np.unique(np.array(series.x, dtype=np.float64), return_inverse=True)
        rows, heights = np.unique(series.y, return_inverse=True)
        values = np.full((len(rows), len(columns)), np.nan)
        values[heights, places] = series.values
        axes.pcolormesh(columns, rows, values, vmin=0, vmax=brightest, shading="nearest")


def _places(x: Sequence[object], bars: Sequence[Series], number: int) -> list[float]:
    """Return the first coordinates of points: those over a series of bars, if there are bars, or else ``x``."""
    if not bars:
        return list(np.asarray(x, dtype=np.float64))
    offset = (number + 0.5) * 0.8 / len(bars) - 0.4
    return [bars[0].x.index(value) + offset for value in x]
