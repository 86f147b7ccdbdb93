"""Learning curves as plots: the columns of ``curve.csv`` of one or several runs."""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ci_envs.drawing.figure_file import figure_type
from ci_envs.drawing.plot_style import literal, styled
from ci_envs.storage.files import read_whole
from ci_envs.training.folder import CURVE
from ci_envs.validation import unknown_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Curve = Mapping[str, tuple[float | None, ...]]
"""The columns of a learning curve by name. A value is None if its row has no value for the column."""

_RECORDS = (" won", " drawn", " lost")  # suffixes of the columns with the results against each opponent


def read_curve(run: str | Path) -> Curve:
    """Return the learning curve of a run.

    Args:
        run: The folder of the run, or a CSV file.

    Raises:
        ValueError: The file has no rows, or contains a value that is not a number.
        OSError: There is no learning curve.
    """
    path = Path(run)
    content = read_whole(path / CURVE if path.is_dir() else path)
    try:
        reader = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
        rows, names = list(reader), reader.fieldnames or ()
        if len(set(names)) < len(names):
            raise ValueError(f"two columns are named {max(names, key=list(names).count)!r}")
        for line, row in enumerate(rows, start=2):
            if None in row or None in row.values():
                raise ValueError(f"line {line} has not the {len(names)} values of its header")
        curve = {name: tuple(float(row[name]) if row[name] else None for row in rows) for name in names}
    except (TypeError, ValueError) as error:
        raise ValueError(f"{str(path)!r} is not a learning curve: {error}") from None
    if not rows:
        raise ValueError(f"{str(path)!r} has no measurements yet")
    return curve


@styled
def draw_curves(curves: Mapping[str, Curve], columns: Sequence[str] = (), *, x: str | None = None) -> "Figure":
    """Return a figure with a panel for each column and a line for each run.

    Args:
        curves: The learning curves by the labels of their runs, one or more.
        columns: The columns to draw. An empty sequence means all columns of the first run, except the results against
            each opponent.
        x: The column of the x axis. None means the first column, which is the length of the training.

    Raises:
        ValueError: A run does not have one of the columns, or there are none.
        ImportError: matplotlib is not installed.
    """
    first = next(iter(curves.values()))
    x = next(iter(first)) if x is None else x
    columns = columns or [name for name in first if name != x and not name.endswith(_RECORDS)]
    if not columns:
        raise ValueError(f"there is no column to draw besides {x!r}")
    for label, curve in curves.items():
        for name in (x, *columns):
            if name not in curve:
                raise unknown_name("column", name, curve, owner=f"run {label}")
    figure = figure_type()(figsize=(7, 1 + 2.6 * len(columns)), layout="constrained")
    for axes, name in zip(figure.subplots(len(columns), squeeze=False, sharex=True)[:, 0], columns, strict=True):
        for label, curve in curves.items():
            points = [point for point in zip(curve[x], curve[name], strict=True) if None not in point]
            axes.plot(
                *zip(*points, strict=True) if points else ([], []), marker="o", markersize=2.5, label=literal(label)
            )
        axes.set(ylabel=literal(name))
    axes.set(xlabel=literal(x))
    if len(curves) > 1:
        figure.axes[0].legend()
    return figure
