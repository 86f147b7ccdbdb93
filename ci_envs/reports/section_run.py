"""Runs of a section: what its measurements get, and the rows and plots that they add."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from ci_envs.optimisation.solving import Solver
from ci_envs.reports.description import Description, description_of
from ci_envs.reports.estimates import Estimate
from ci_envs.reports.rows import FigureRow
from ci_envs.reports.section import AgentMaker, Findings, Panel, Plot, RunOptions, Section, Series

Item = TypeVar("Item")


@dataclass
class SectionRun:
    """A run of a section.

    Attributes:
        description: The description of the section.
        options: The options of the run.
        rows: The rows so far.
        plots: The plots so far.
    """

    description: Description
    options: RunOptions
    rows: list[FigureRow] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    _done: float = 0.0
    _share: float = 1.0

    @property
    def quick(self) -> bool:
        """Whether the run takes only seconds."""
        return self.options.quick

    @property
    def seed(self) -> int:
        """The seed of all random numbers."""
        return self.options.seed

    def budget(self, name: str) -> int:
        """Return a number of games or runs of the description: the full or the quick one."""
        both = self.description.budget[name]
        return both.quick if self.quick else both.full

    def seeds(self, name: str) -> range:
        """Return as many seeds as a number of runs of the description."""
        return range(self.seed, self.seed + self.budget(name))

    def figure(self, quantity: str) -> float | None:
        """Return the published figure of a row, or None."""
        figure = self.description.figures.get(quantity)
        return None if figure is None else figure.value

    def row(self, quantity: str) -> FigureRow:
        """Return a row that was added before."""
        return next(row for row in self.rows if row.quantity == quantity)

    def add(self, quantity: str, *columns: Estimate | float | None, note: str = "") -> FigureRow:
        """Add a row, and return it. The description has its published figure, note and unit.

        Args:
            quantity: The name of the quantity.
            columns: The literal figure, and the described one and ours if they are known. A number is exact.
            note: The note of a row that has none in the description.
        """
        estimates = (Estimate.exact(one) if isinstance(one, int | float) else one for one in columns)
        literal, described, ours = (*estimates, None, None)[:3]
        assert literal is not None, f"the row {quantity!r} has no literal figure"
        row = self.description.row(quantity, literal, described, ours, note=note, quick=self.quick)
        self.rows.append(row)
        return row

    def add_bars(
        self, name: str, title: str, x_label: str, y_label: str, bars: Mapping[str, str], marks: str = ""
    ) -> None:
        """Add a plot with three bars for each of some rows: literal, described and ours.

        Args:
            name: The end of the file name.
            title: The title.
            x_label: The label of the x axis.
            y_label: The label of the y axis.
            bars: The name of the bars of each row by its quantity. Rows that were not measured are left out.
            marks: The label of the published figures, or an empty text to leave them out.
        """
        drawn = {bars[row.quantity]: row for row in self.rows if row.quantity in bars}
        series = [
            Series(column, tuple(drawn), tuple(row.columns[column].value for row in drawn.values()), "bars")
            for column in ("literal", "described", "ours")
        ]
        if marks:
            series.append(Series.marks(marks, {bar: self.figure(row.quantity) for bar, row in drawn.items()}))
        self.plots.append(Plot(name, title, x_label, y_label, (Panel("", tuple(series)),)))

    def steps(self, items: Iterable[Item] | Mapping[Item, object]) -> Iterator[Item]:
        """Yield items, and report the progress after each one. Steps can be nested."""
        listed = list(items)
        done, share = self._done, self._share
        for number, item in enumerate(listed, 1):
            self._share = share / len(listed)
            yield item
            self._done = done + share * number / len(listed)
            self.options.report_progress(self._done)
        self._share = share


Measure = Callable[[SectionRun], object]
"""A function that measures a part of a section, and adds its rows."""


def section(
    file: str,
    *parts: Measure,
    agents: Mapping[str, AgentMaker] | None = None,
    solvers: Mapping[str, Solver] | None = None,
) -> Section:
    """Return the section of a module.

    Args:
        file: ``__file__`` of the module. Its name is that of the section.
        parts: The measurements, in the order of their rows.
        agents: The functions that make the agents of the section, by name.
        solvers: The solvers of the section by name.
    """
    description = description_of(Path(file).stem.upper())
    return Section(description, partial(_run, description, parts), agents or {}, solvers or {})


def _run(description: Description, parts: Sequence[Measure], options: RunOptions) -> Findings:
    run = SectionRun(description, options)
    for measure in run.steps(parts):
        measure(run)
    return Findings(tuple(run.rows), tuple(run.plots))
