"""A share of cases with their number and its interval."""

from dataclasses import dataclass

from ci_envs.arena.ratings import wilson_interval


@dataclass(frozen=True)
class Proportion:
    """The number of cases that have a property, among some cases.

    Attributes:
        right: The number of cases with the property.
        cases: The number of all cases.

    Examples:
        >>> from ci_envs.arena.proportion import Proportion
        >>> Proportion(7, 7).text(), Proportion(7, 7).counted_text(), Proportion().text()
        ('100% (65 to 100)', '100% (65 to 100) of 7', '-')
    """

    right: int = 0
    cases: int = 0

    def data(self) -> dict[str, float | None]:
        """Return the numbers, the share and its interval as plain data."""
        return {"right": self.right, "cases": self.cases, **self.columns("share")}

    def columns(self, name: str) -> dict[str, float | None]:
        """Return the share, from 0 to 1, and both ends of its Wilson interval, as columns; None without cases."""
        names = name, f"{name}_low", f"{name}_high"
        return dict(zip(names, self._shares, strict=True)) if self.cases else dict.fromkeys(names)

    def cells(self) -> list[str]:
        """Return the share in per cent and its interval as two cells of a table."""
        if not self.cases:
            return ["-", "-"]
        share, low, high = (f"{100 * each:.2f}" for each in self._shares)
        return [share, f"{low} to {high}"]

    def text(self, digits: int = 0) -> str:
        """Return the share in per cent and its interval as one text.

        Args:
            digits: The number of decimal places of the percentages.
        """
        if not self.cases:
            return "-"
        share, low, high = (f"{100 * each:.{digits}f}" for each in self._shares)
        return f"{share}% ({low} to {high})"

    def counted_text(self, digits: int = 0) -> str:
        """Return :meth:`text` with the number of all cases."""
        return f"{self.text(digits)} of {self.cases:,}" if self.cases else "-"

    @property
    def _shares(self) -> tuple[float, float, float]:
        return self.right / self.cases, *wilson_interval(self.right, self.cases)
