"""The rows of a section: each figure of a report, next to our figures."""

from collections.abc import Mapping
from dataclasses import dataclass

from ci_envs.reports.estimates import Estimate
from ci_envs.reports.sources import Figure


@dataclass(frozen=True)
class FigureRow:
    """One figure of a report, next to our figures for the same quantity.

    Attributes:
        quantity: The name of the quantity.
        report: The published figure with its source, or None if nobody published one.
        literal: The figure of the literal re-implementation, with its bugs.
        described: The figure of the method as the report describes it, without bugs, or None if it cannot be run.
        ours: Our best figure under the same conditions, or None.
        note: A note on the row, for example the reason why our figure is not better.
        unit: The unit of the figures, for example ``%`` or ``s``. Rows with the same unit share a panel of the plot.

    Raises:
        TypeError: The published figure has no source.
    """

    quantity: str
    report: Figure | None
    literal: Estimate
    described: Estimate | None = None
    ours: Estimate | None = None
    note: str = ""
    unit: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.report, Figure | None):
            raise TypeError(f"the published figure of {self.quantity!r} must be a Figure, not {self.report!r}")

    @property
    def label(self) -> str:
        """The name of the quantity with its unit, if the name does not contain the unit."""
        words = self.quantity.replace(",", "").split()
        has_unit = self.unit in ("", *words, *(f"{word}s" for word in words))
        return self.quantity if has_unit else f"{self.quantity}, {self.unit}"

    @property
    def columns(self) -> Mapping[str, Estimate]:
        """Our figures by column."""
        columns = {"literal": self.literal, "described": self.described, "ours": self.ours}
        return {name: estimate for name, estimate in columns.items() if estimate is not None}

    @property
    def sample(self) -> str:
        """The samples of our figures: one sample, or the samples by column."""
        samples: dict[str, list[str]] = {}
        for name, estimate in self.columns.items():
            samples.setdefault(estimate.sample, []).append(name)
        if len(samples) == 1:
            return next(iter(samples))
        return "; ".join(f"{' and '.join(names)}: {sample}" for sample, names in samples.items())
