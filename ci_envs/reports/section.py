"""Sections of a report, and the results of their runs."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from ci_envs.agent_interface.interface import Agent
from ci_envs.games.game import Game
from ci_envs.optimisation.solving import Solver
from ci_envs.reports.claims import Rows
from ci_envs.reports.description import Description
from ci_envs.reports.rows import FigureRow

AgentMaker = Callable[[Game, int | None], Agent]
"""A function ``maker(game, seed)`` that makes an agent, or raises a ValueError if the agent does not play the game."""


@dataclass(frozen=True)
class Series:
    """Points of a plot that belong together.

    Attributes:
        label: The name in the legend, or an empty text.
        x: The first coordinates, or the names of bars.
        y: The second coordinates, with the same length as ``x``.
        kind: ``line``, ``dots``, ``bars``, ``marks`` (crosses over the lines, or over the first bars at their names) or
            ``cells`` (a heat map, with one square for each point).
        values: The value of each cell, shown as its colour; only for ``cells``.
    """

    label: str
    x: tuple[float, ...] | tuple[str, ...]
    y: tuple[float, ...]
    kind: Literal["line", "dots", "bars", "marks", "cells"] = "line"
    values: tuple[float, ...] = ()

    @classmethod
    def curve(cls, label: str, values: Iterable[float], *, first: float = 0, step: float = 1) -> Self:
        """Return a line through values at equal distances ``step``, from ``first`` on."""
        y = tuple(map(float, values))
        return cls(label, tuple(first + step * number for number in range(len(y))), y)

    @classmethod
    def marks(cls, label: str, points: Mapping[Any, float | None]) -> Self:
        """Return marks for the points that are known. ``points`` has their second coordinates by the first ones."""
        known = {x: y for x, y in points.items() if y is not None}
        return cls(label, tuple(known), tuple(known.values()), "marks")


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
        plots: The plots of the report, from our figures.

    Raises:
        ValueError: Two rows have the same quantity.
    """

    rows: tuple[FigureRow, ...]
    plots: tuple[Plot, ...] = ()

    def __post_init__(self) -> None:
        counts = Counter(row.quantity for row in self.rows)
        repeated = [quantity for quantity, count in counts.items() if count > 1]
        if repeated:
            raise ValueError(f"each quantity has one row; these have several: {', '.join(repeated)}")

    @property
    def by_quantity(self) -> Rows:
        """The rows by quantity."""
        return {row.quantity: row for row in self.rows}


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
        description: All that the report says about the section, and all that we say about it.
        run: The function that runs the section.
        agents: The functions that make the agents of the section, by name, for example ``B31:max_lowest``. The spec
            string of this agent is ``report:B31:max_lowest``.
        solvers: The solvers of the section by name, for example ``B2``, used as ``report:B2``.
    """

    description: Description
    run: Callable[[RunOptions], Findings]
    agents: Mapping[str, AgentMaker] = field(default_factory=dict)
    solvers: Mapping[str, Solver] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The identifier of the section."""
        return self.description.name
