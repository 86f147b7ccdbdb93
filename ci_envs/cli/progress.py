"""Progress of long computations, shown on stderr while they run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

    from ci_envs.solver.solution import Progress as CountProgress

ReportRemark = Callable[[int, str], None]
"""A function that takes the amount of work so far and a remark about the work."""


@contextmanager
def count_progress(unit: str, estimates: bool = False) -> "Iterator[CountProgress]":
    """Show the number of units done, and a bar if the total is known.

    Args:
        unit: The name of the units in the plural, for example ``positions``.
        estimates: Whether to estimate the remaining time.

    Yields:
        A function that takes the number of units done and their total, or None if the total is unknown.
    """
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description} {task.completed:,}", markup=False), BarColumn(), TimeElapsedColumn())
    with _transient(*columns, *(TimeRemainingColumn(),) * estimates) as progress:
        task = progress.add_task(unit, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def remark_progress(name: str) -> Iterator[ReportRemark]:
    """Show ``name``, the amount of work so far and the latest remark.

    Yields:
        A function that takes the amount of work so far and a remark.
    """
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with _transient(*columns) as progress:
        task = progress.add_task(name, total=None)
        yield lambda work, remark: progress.update(task, description=f"{name}: {work:,}, {remark}")


@contextmanager
def games_progress(total: int) -> "Iterator[tuple[Callable[[int], None], CountProgress]]":
    """Show the number of games that have ended, ``total``, and the remaining time; below it the graded actions.

    Yields:
        A function that takes the number of games that have ended since its last call, and a function that takes the
        number of graded actions of an agent in a match and the number of its actions to grade.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with _transient(TextColumn("{task.description}"), *columns) as progress:
        games = progress.add_task("games", total=total)
        graded = progress.add_task("graded actions", visible=False)

        def report_graded(done: int, of: int | None) -> None:
            progress.update(graded, completed=done, total=of, visible=done != of)

        yield lambda ended: progress.advance(games, ended), report_graded


def _transient(*columns: "ProgressColumn") -> "Progress":
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=not console.is_interactive)
