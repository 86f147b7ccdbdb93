"""What a section of a report is, and what a run of it returns."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Self


class Estimate(NamedTuple):
    """A measured or computed quantity and its 95% interval.

    Attributes:
        value: The quantity.
        low: The lower end of the interval.
        high: The upper end.
    """

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> Self:
        """Return the estimate of a quantity that is known exactly."""
        return cls(value, value, value)


class ClaimVerdict(StrEnum):
    """Whether a claim of a report is true."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNKNOWN = "cannot be told"


@dataclass(frozen=True)
class FigureRow:
    """One figure of a report, next to our figures for the same quantity.

    Attributes:
        quantity: What is measured, with its unit.
        report: The figure as printed; None if the report has none.
        literal: The figure of the literal re-implementation, bugs included. Its interval is the one in which 95% of
            measurements of the report's size lie.
        described: The figure of what the report describes, with its bugs repaired; None if it cannot be run.
        ours: Our best figure under the same conditions; None if there is none.
        note: What to know about the row, for example why ours is not better.
    """

    quantity: str
    report: float | None
    literal: Estimate
    described: float | None = None
    ours: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim of a report.

    Attributes:
        text: The claim.
        verdict: Whether it is true.
        explanation: Why, in one sentence.
    """

    text: str
    verdict: ClaimVerdict
    explanation: str


@dataclass(frozen=True)
class Findings:
    """What a run of a section found.

    Attributes:
        rows: The figures.
        claims: The claims.
    """

    rows: tuple[FigureRow, ...]
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class RunOptions:
    """How to run a section.

    Attributes:
        quick: Whether to take seconds instead of the time of a full run, with fewer games and wider intervals.
        seed: The seed of all random numbers.
        report_progress: Called with the share of the work that is done, from 0 to 1.
    """

    quick: bool = False
    seed: int = 0
    report_progress: Callable[[float], object] = field(default=lambda share: None, compare=False)


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Attributes:
        name: The identifier, for example ``B31``: the letter of the report and the number of the section.
        title: What the section is about.
        game: The environment or problem, as a spec string.
        conditions: Who moves first, against which opponents, and the number of games, as in the report.
        seconds: About how long a full run takes on two cores.
        run: Runs the section.
    """

    name: str
    title: str
    game: str
    conditions: str
    seconds: float
    run: Callable[[RunOptions], Findings]
