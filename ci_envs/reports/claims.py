"""The claims of a report, and their verdicts: functions of the measured rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from ci_envs.reports.estimates import Estimate
from ci_envs.reports.rows import FigureRow

Rows = Mapping[str, FigureRow]
"""The rows of a run by quantity."""

Column = Literal["literal", "described", "ours"]
"""A column of our figures."""

NOT_MEASURED = "This run does not measure it."


class Verdict(StrEnum):
    """Whether a claim of a report is true."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNDECIDED = "not decided"


class Decision(NamedTuple):
    """The verdict on a claim.

    Attributes:
        verdict: Whether the claim is true.
        sample: If this is not decided, the samples that do not decide it, for example ``2 runs``.
        explanation: The figures of this run that decide it.
    """

    verdict: Verdict
    sample: str
    explanation: str

    @property
    def text(self) -> str:
        """The verdict, with the sample if it is not decided."""
        return f"{self.verdict} by {self.sample}" if self.sample else str(self.verdict)


@dataclass(frozen=True)
class Cell:
    """A measured figure of the table.

    Attributes:
        quantity: The quantity of the row.
        column: The column.
        factor: The figure is multiplied by this number, 0 or more.
    """

    quantity: str
    column: Column = "literal"
    factor: float = 1.0

    def estimate(self, rows: Rows) -> Estimate | None:
        """Return the figure, or None if the run does not measure it."""
        row = rows.get(self.quantity)
        found = None if row is None else row.columns.get(self.column)
        return None if found is None else found.scaled(self.factor)


Operand = Cell | float


@dataclass(frozen=True)
class CellComparison:
    """The condition that one figure is larger than another one. Their intervals decide it.

    Attributes:
        larger: The figure that should be larger.
        smaller: The other figure.
        strict: Whether equal figures do not satisfy the condition.
    """

    larger: Operand
    smaller: Operand
    strict: bool

    def decide(self, rows: Rows) -> bool | None:
        """Return whether the condition is true, or None if the intervals of the figures do not decide it."""
        larger, smaller = (_estimate(operand, rows) for operand in (self.larger, self.smaller))
        if larger is None or smaller is None:
            return None
        if larger.low > smaller.high or (larger.low == smaller.high and not self.strict):
            return True
        if larger.high < smaller.low or (larger.high == smaller.low and self.strict):
            return False
        return None

    def comparisons(self) -> "Iterator[CellComparison]":
        """Yield the comparison itself."""
        yield self

    def cells(self) -> Iterator[Cell]:
        """Yield the cells that are compared."""
        yield from (operand for operand in (self.larger, self.smaller) if isinstance(operand, Cell))


@dataclass(frozen=True)
class JoinedConditions:
    """The condition that all of some conditions hold, or that at least one of them holds.

    Attributes:
        parts: The conditions.
        is_conjunction: Whether all conditions must hold.
    """

    parts: "tuple[Condition, ...]"
    is_conjunction: bool

    def decide(self, rows: Rows) -> bool | None:
        """Return whether the condition is true, or None if the intervals of the figures do not decide it."""
        decided = {part.decide(rows) for part in self.parts}
        if (not self.is_conjunction) in decided:
            return not self.is_conjunction
        return None if None in decided else self.is_conjunction

    def comparisons(self) -> Iterator[CellComparison]:
        """Yield the comparisons of the parts, in their order."""
        for part in self.parts:
            yield from part.comparisons()


Condition = CellComparison | JoinedConditions
"""A condition on measured figures."""


@dataclass(frozen=True)
class Text:
    """A text with measured figures.

    Attributes:
        template: The text, with a replacement field such as ``{:.1f}`` for each cell.
        cells: The cells.
    """

    template: str
    cells: tuple[Cell, ...] = ()

    def fill(self, rows: Rows) -> str:
        """Return the text with the figures of a run, or a sentence that says that the run does not measure them."""
        found = [cell.estimate(rows) for cell in self.cells]
        return NOT_MEASURED if None in found else self.template.format(*found)


@dataclass(frozen=True)
class Claim:
    """A claim of a report.

    Attributes:
        text: The claim.
        condition: The condition on the measured figures under which the claim holds.
        why: The reason for the verdict.
    """

    text: str
    condition: Condition
    why: Text

    def verdict(self, rows: Rows) -> Decision:
        """Return the verdict that the rows of a run give. It needs the figures of its reason."""
        explanation = self.why.fill(rows)
        decided = None if explanation == NOT_MEASURED else self.condition.decide(rows)
        if decided is None:
            return Decision(Verdict.UNDECIDED, self._sample(rows), explanation)
        return Decision(Verdict.HOLDS if decided else Verdict.FAILS, "", explanation)

    def _sample(self, rows: Rows) -> str:
        """Return the samples of the undecided comparisons."""
        undecided = [one for one in self.condition.comparisons() if one.decide(rows) is None]
        estimates = [cell.estimate(rows) for one in undecided for cell in one.cells()]
        if None in estimates:
            return "this run"
        samples = dict.fromkeys(one.sample for one in estimates if one is not None and one.low < one.high)
        return " and ".join(samples)


def _estimate(operand: Operand, rows: Rows) -> Estimate | None:
    return operand.estimate(rows) if isinstance(operand, Cell) else Estimate.exact(operand)
