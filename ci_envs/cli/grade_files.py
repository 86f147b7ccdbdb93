"""The options ``--plot``, ``--table`` and ``--submit`` of grades on a suite."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ci_envs.cli.errors import write_each
from ci_envs.cli.options import OUTPUT_FOLDER, file_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ci_envs.suites.report import Graded


@dataclass(frozen=True)
class GradeFiles:
    """The files to which a command writes the grades of agents.

    Attributes:
        plot: The file of a figure, or None.
        table: The file of a table, or None.
        submit: The folder of a leaderboard, or None.
    """

    plot: Path | None
    table: Path | None
    submit: Path | None

    @property
    def any(self) -> bool:
        """Whether a file is requested."""
        return any(getattr(self, field.name) for field in fields(self))

    def check(self) -> None:
        """Check the names of the files before the agents are graded.

        Raises:
            ImportError: matplotlib is not installed.
            ValueError: A file has a wrong ending.
        """
        from ci_envs.drawing.figure_file import check_figure_ending, figure_type
        from ci_envs.suites.table_file import check_table_ending

        if self.plot:
            figure_type()
            check_figure_ending(self.plot)
        if self.table:
            check_table_ending(self.table)

    def write(self, title: str, graded: "Sequence[Graded]") -> None:
        """Write the figure and the table that are requested.

        Raises:
            click.UsageError: A file cannot be written.
        """
        from ci_envs.drawing.figure_file import write_figure
        from ci_envs.suites.plot import draw_grades
        from ci_envs.suites.report import skill_cells
        from ci_envs.suites.table_file import write_table

        write_each(
            lambda: write_figure(draw_grades(title, graded), self.plot) if self.plot else None,
            lambda: write_table(self.table, skill_cells(graded)) if self.table else None,
        )


def grade_files(command: Callable[..., None]) -> Callable[..., None]:
    """Add ``--plot``, ``--table`` and ``--submit`` to a command. It receives them in its argument ``files``."""

    @wraps(command)
    def with_files(*, plot: Path | None, table: Path | None, submit: Path | None, **options: Any) -> None:
        # an agent can change the current folder before the files are written
        plot, table, submit = (path and path.absolute() for path in (plot, table, submit))
        command(files=GradeFiles(plot, table, submit), **options)

    plot_option = file_option(
        "plot", "--plot", help="With --suite: draw grades and calibration to a file that ends in .png, .svg or .pdf."
    )
    table_option = file_option(
        "table", "--table", help="With --suite: write the skills to a file that ends in .md (Markdown) or .tex (LaTeX)."
    )
    submit_option = click.option(
        "--submit",
        metavar="DIR",
        type=OUTPUT_FOLDER,
        help="With --suite: write an entry of a leaderboard for each agent to a file in DIR.",
    )
    with_options: Callable[..., None] = plot_option(table_option(submit_option(with_files)))
    return with_options
