"""The progress of a run on stderr: a bar in a terminal, otherwise a line every few seconds. Both fit in 80 columns."""

from dataclasses import dataclass
from time import monotonic
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

WIDTH = 80
LINE_SECONDS = 5.0
"""Seconds between two lines if stderr is not a terminal."""

_BAR = 10


@dataclass(frozen=True)
class Status:
    """The progress of a run.

    Attributes:
        learner: The name of the agent.
        share: The completed share of the run, from 0 to 1.
        count: The number of completed units.
        total: The number of units of the whole run, or None if the run is limited by time.
        unit: The name of the units in the plural, for example ``episodes``.
        elapsed: The seconds of training in all sessions.
        left: The estimated seconds until the end, or None if unknown.
        rating: The rating at the last measurement, as the difference in Elo from the first opponent, or None before
            the first measurement.
    """

    learner: str
    share: float
    count: int
    total: int | None
    unit: str
    elapsed: float
    left: float | None
    rating: float | None

    def text(self, width: int = WIDTH) -> str:
        """Return the status as one line of at most ``width`` characters. A short line leaves out the rating last."""
        counted = short_number(self.count) + ("" if self.total is None else f"/{short_number(self.total)}")
        left = "?" if self.left is None else clock(self.left)
        rating = "" if self.rating is None else f" {self.rating:+.0f} Elo"
        times, share = f" [{clock(self.elapsed)}<{left}]", f"{self.share:4.0%} "
        for line in (
            f"{self.learner} {share}{counted} {self.unit}{times}{rating}",
            f"{share}{counted} {self.unit}{times}{rating}",
            f"{share}{counted} {self.unit}{rating}",
        ):
            if len(line) <= width:
                return line
        return f"{share}{rating}"[:width]


class ProgressDisplay:
    """Context manager that shows the status of a run."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._terminal = self._console.is_terminal
        columns = (BarColumn(_BAR), TextColumn("{task.description}", markup=False))
        self._bar = Progress(*columns, console=self._console, transient=True, disable=not self._terminal)
        self._task: TaskID = self._bar.add_task("", total=1.0)
        self._due = monotonic() + LINE_SECONDS

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def show(self, status: Status) -> None:
        """Show a status. If stderr is not a terminal, show it only if the last line is some seconds old."""
        if self._terminal:
            width = min(WIDTH, self._console.width) - _BAR - 1
            self._bar.update(self._task, completed=status.share, description=status.text(width))
        elif monotonic() >= self._due:
            self._due = monotonic() + LINE_SECONDS
            self.print_line(status.text())

    def print_line(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, markup=False, soft_wrap=True)


def short_number(number: int) -> str:
    """Return a number as text of at most seven characters, for example ``99,999`` or ``1.23M``."""
    for size, letter in ((1e9, "G"), (1e6, "M")):
        if number >= size:
            return f"{number / size:.4g}{letter}"
    return f"{number:,}"


def clock(seconds: float) -> str:
    """Return a time as ``minutes:seconds`` or ``hours:minutes:seconds``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
