"""Matplotlib figures as files."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

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


def write_figure(figure: "Figure", path: Path, **settings: Any) -> None:
    """Write a figure to a file atomically, in the format of its ending. Equal figures give equal files.

    Args:
        figure: The figure.
        path: The path of the file.
        settings: Settings of matplotlib by name that replace ours.

    Raises:
        ValueError: The file name does not end in one of :data:`FIGURE_FORMATS`.
        OSError: The file cannot be written.
    """
    check_figure_ending(path)
    from matplotlib import rc_context

    content, metadata = io.BytesIO(), {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with rc_context(cast(Any, {"savefig.dpi": 150, "svg.hashsalt": "ci-envs"} | settings)):
        figure.savefig(content, format=path.suffix[1:], metadata=metadata.get(path.suffix))
    write_whole(path, content.getvalue())


def check_figure_ending(path: Path) -> None:
    """Raise a ValueError if a file name does not end in one of :data:`FIGURE_FORMATS`."""
    if path.suffix not in FIGURE_FORMATS:
        raise ValueError(f"the file name {path.name!r} must end in {', '.join(FIGURE_FORMATS)}")
