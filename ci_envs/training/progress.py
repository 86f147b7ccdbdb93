"""The progress of a run on stderr: a bar in a terminal, else a line every few seconds. Both fit in 80 columns."""

from dataclasses import dataclass
from time import monotonic
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

WIDTH = 80
LINE_SECONDS = 5.0
"""Time between two lines where stderr is no terminal."""

_BAR = 10


@dataclass(frozen=True)
class Status:
    """The progress of a run.

    Attributes:
        learner: the name of the agent.
        share: how much of the run is done, from 0 to 1.
        count: units that are done.
        total: units of the whole run; None if the run is limited by time.
        unit: what is counted, in the plural.
        elapsed: seconds of training in all sessions.
        left: estimated seconds until the end; None if unknown.
        rating: at the last measurement, in Elo above the first opponent; None before it.
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
        """Return one line of at most ``width`` characters; the rating is the last part to be left out."""
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
    """Shows the status of a run while it is used as a context manager."""

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def show(self, status: Status) -> None:
        """Show a status, in a terminal at once, else if the last line is some seconds old."""
        if self._terminal:
            width = min(WIDTH, self._console.width) - _BAR - 1
            self._bar.update(self._task, completed=status.share, description=status.text(width))
        elif monotonic() >= self._due:
            self._due = monotonic() + LINE_SECONDS
            self.say(status.text())

    def say(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, markup=False, soft_wrap=True)


def short_number(number: int) -> str:
    """Return a number in at most seven characters: ``99,999``, ``1.23M``."""
    for size, letter in ((1e9, "G"), (1e6, "M")):
        if number >= size:
            return f"{number / size:.4g}{letter}"
    return f"{number:,}"


def clock(seconds: float) -> str:
    """Return a time as ``minutes:seconds`` or ``hours:minutes:seconds``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
