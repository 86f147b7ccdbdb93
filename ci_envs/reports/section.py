"""Sections of a report, and the results of their runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple, Self

from ci_envs.agent_interface.interface import Agent
from ci_envs.games.game import Game
from ci_envs.optimisation.solving import Solver

Conclusion = Callable[[Mapping[str, "FigureRow"]], str]
"""A function of the rows of a run by quantity that returns the conclusion with the figures of this run."""

AgentMaker = Callable[[Game, int | None], Agent]
"""A function ``maker(game, seed)`` that makes an agent, or raises a ValueError if the agent does not play the game."""


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
        """Return the estimate of an exactly known quantity."""
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
        quantity: The name of the quantity.
        report: The published figure, or None if the report has no figure.
        literal: The figure of the literal re-implementation, with its bugs. Its interval contains 95% of measurements
            of the same size as in the report.
        described: The figure of the method as the report describes it, without bugs, or None if it cannot be run.
        ours: Our best figure under the same conditions, or None.
        note: A note on the row, for example the reason why our figure is not better.
        unit: The unit of the figures, for example ``%`` or ``s``. Rows with the same unit share a panel of the plot.
    """

    quantity: str
    report: float | None
    literal: Estimate
    described: float | None = None
    ours: float | None = None
    note: str = ""
    unit: str = ""

    @property
    def label(self) -> str:
        """The name of the quantity with its unit, if the name does not contain the unit."""
        words = self.quantity.replace(",", "").split()
        has_unit = self.unit in ("", *words, *(f"{word}s" for word in words))
        return self.quantity if has_unit else f"{self.quantity}, {self.unit}"


@dataclass(frozen=True)
class Claim:
    """A claim of a report.

    Attributes:
        text: The claim.
        verdict: Whether it is true.
        explanation: The reason for the verdict, in one sentence.
    """

    text: str
    verdict: ClaimVerdict
    explanation: str


@dataclass(frozen=True)
class Series:
    """Points of a plot that belong together.

    Attributes:
        label: The name in the legend, or an empty text.
        x: The first coordinates, or the names of bars.
        y: The second coordinates, with the same length as ``x``.
        kind: ``line``, ``dots``, ``bars`` or ``cells`` (a heat map, with one square for each point).
        values: The value of each cell, shown as its colour; only for ``cells``.
    """

    label: str
    x: tuple[float, ...] | tuple[str, ...]
    y: tuple[float, ...]
    kind: Literal["line", "dots", "bars", "cells"] = "line"
    values: tuple[float, ...] = ()


@dataclass(frozen=True)
class Panel:
    """One pair of axes of a plot.

    Attributes:
        title: The title, or an empty text.
        series: The series to draw.
    """

    title: str
    series: tuple[Series, ...]


@dataclass(frozen=True)
class Plot:
    """A plot of a report, drawn from our figures.

    Attributes:
        name: The end of the file name, for example ``wins`` for ``A2_wins.png``.
        title: The title, as in the report.
        x_label: The label of the x axis.
        y_label: The label of the y axis.
        panels: The pairs of axes, next to each other, with the same labels.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True)
class Findings:
    """The results of a run of a section.

    Attributes:
        rows: The figures.
        claims: The claims.
        plots: The plots of the report, from our figures.
    """

    rows: tuple[FigureRow, ...]
    claims: tuple[Claim, ...] = ()
    plots: tuple[Plot, ...] = ()


@dataclass(frozen=True)
class RunOptions:
    """The options of a run of a section.

    Attributes:
        quick: Whether to run in seconds, with fewer games and wider intervals than a full run.
        seed: The seed of all random numbers.
        report_progress: A function that is called with the completed share of the work, from 0 to 1.
    """

    quick: bool = False
    seed: int = 0
    report_progress: Callable[[float], object] = field(default=lambda share: None, compare=False)


@dataclass(frozen=True)
class Section:
    """A section of a report.

    Attributes:
        name: The identifier, for example ``B31``: the letter of the report and the number of the section.
        title: The title of the section.
        game: The environment or problem, as a spec string.
        purpose: The aim of the report.
        conclusion: Our conclusion, in one or two sentences, or a function that writes it from the figures of a run.
        conditions: The first player, the opponents and the number of games, as in the report.
        seconds: The approximate duration of a full run on two cores.
        run: The function that runs the section.
        agents: The functions that make the agents of the section, by name, for example ``B31:max_lowest``. The spec
            string of this agent is ``report:B31:max_lowest``.
        solvers: The solvers of the section by name, for example ``B2``, used as ``report:B2``.
    """

    name: str
    title: str
    game: str
    purpose: str
    conclusion: str | Conclusion
    conditions: str
    seconds: float
    run: Callable[[RunOptions], Findings]
    agents: Mapping[str, AgentMaker] = field(default_factory=dict)
    solvers: Mapping[str, Solver] = field(default_factory=dict)

    def conclusion_of(self, findings: Findings) -> str:
        """Return our conclusion with the figures of these findings."""
        if isinstance(self.conclusion, str):
            return self.conclusion
        return self.conclusion({row.quantity: row for row in findings.rows})
