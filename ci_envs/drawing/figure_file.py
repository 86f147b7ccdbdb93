"""Matplotlib figures as files."""

import io
from pathlib import Path
from typing import TYPE_CHECKING

from ci_envs.extras import optional_import
from ci_envs.storage.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_FORMATS = (".png", ".svg", ".pdf")


def figure_type() -> "type[Figure]":
    """Return the class of matplotlib figures.

    Raises:
        ImportError: matplotlib is not installed.
    """
    with optional_import("a plot", "plot"):
        from matplotlib.figure import Figure
    return Figure


def write_figure(figure: "Figure", path: Path) -> None:
    """Write a figure to a file atomically, in the format of its ending.

    Raises:
        ValueError: The file name does not end in one of :data:`FIGURE_FORMATS`.
        OSError: The file cannot be written.
    """
    check_figure_ending(path)
    content = io.BytesIO()
    figure.savefig(content, format=path.suffix[1:], dpi=150)
    write_whole(path, content.getvalue())


def check_figure_ending(path: Path) -> None:
    """Raise a ValueError if a file name does not end in one of :data:`FIGURE_FORMATS`."""
    if path.suffix not in FIGURE_FORMATS:
        raise ValueError(f"the file name {path.name!r} must end in {', '.join(FIGURE_FORMATS)}")
