"""Measured quantities with 95% intervals."""

from math import inf
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import override

from ci_envs.arena.ratings import wilson_interval

EXACT = "exact"
"""The sample of a quantity that is computed without chance."""


class Estimate(NamedTuple):
    """A measured or computed quantity.

    Attributes:
        value: The quantity.
        low: The lower end of the 95% confidence interval of the quantity, -inf if it is not known.
        high: The upper end, inf if it is not known.
        sample: The size of the sample, for example ``400 games``, or ``exact``.
        spread_low: The lower end of the interval that contains 95% of the measurements of the size that the report
            has, or of the runs.
        spread_high: The upper end.
    """

    value: float
    low: float
    high: float
    sample: str
    spread_low: float
    spread_high: float

    @classmethod
    def exact(cls, value: float) -> Self:
        """Return the estimate of an exactly known quantity."""
        return cls(value, value, value, EXACT, value, value)

    @classmethod
    def single(cls, value: float, sample: str = "1 run") -> Self:
        """Return the result of a single run, whose confidence interval is not known."""
        return cls(value, -inf, inf, sample, value, value)

    def scaled(self, factor: float) -> "Estimate":
        """Return the quantity times a positive factor."""
        value, low, high, sample, spread_low, spread_high = self
        scaled = [factor * number for number in (value, low, high, spread_low, spread_high)]
        return Estimate(scaled[0], scaled[1], scaled[2], sample, scaled[3], scaled[4])

    @override
    def __format__(self, spec: str) -> str:
        return format(self.value, spec)


def share_in_games(share: float, games: int) -> Estimate:
    """Return an exact percentage of games won, with the spread of measurements.

    Args:
        share: The exact probability to win a game, 0 to 1.
        games: The number of games of a measurement.
    """
    return _with_binomial_spread(Estimate.exact(100 * share), games)


def measured_share(wins: int, games: int, *, report_games: int | None = None, sample: str = "") -> Estimate:
    """Return a measured percentage of games won, with its Wilson interval.

    Args:
        wins: The games won, 0 to ``games``.
        games: The games played, 1 or more.
        report_games: The number of games of the report's measurement, for the spread; by default ``games``.
        sample: The unit of the sample; by default games.
    """
    low, high = (100 * end for end in wilson_interval(wins, games))
    estimate = Estimate(100 * wins / games, low, high, f"{games:,} {sample or 'games'}", low, high)
    if report_games is None or not 0 < wins < games:
        return estimate
    return _with_binomial_spread(estimate, report_games)


def median_of(values: ArrayLike, sample: str = "runs") -> Estimate:
    """Return the median of a figure over independent runs, and the range of the middle 95% of the runs.

    The confidence interval is that of two order statistics. Fewer than 6 runs do not have such an interval.

    Args:
        values: The figure in each run.
        sample: The unit of the sample.
    """
    from scipy.stats import binom

    ordered = np.sort(np.asarray(values, dtype=np.float64))
    median, *spread = np.quantile(ordered, [0.5, 0.025, 0.975]).tolist()
    place = int(binom.ppf(0.025, len(ordered), 0.5))
    ends = ordered[[place - 1, -place]].tolist() if place else (-inf, inf)
    return Estimate(median, ends[0], ends[1], _sample(len(ordered), sample), spread[0], spread[1])


def mean_of(values: ArrayLike, sample: str = "runs", *, least: float = -inf) -> Estimate:
    """Return the mean of a sample and its 95% interval by Student's t distribution.

    Args:
        values: The sample.
        sample: The unit of the sample.
        least: The least possible value of the quantity.
    """
    from scipy.stats import t

    numbers = np.asarray(values, dtype=np.float64)
    mean, count = float(numbers.mean()), numbers.size
    if count < 2:
        return Estimate.single(mean, _sample(count, sample))
    error = float(t.ppf(0.975, count - 1) * numbers.std(ddof=1) / count**0.5)
    low, high = max(least, mean - error), mean + error
    return Estimate(mean, low, high, _sample(count, sample), low, high)


def mean_of_runs(values: ArrayLike, sample: str = "runs") -> Estimate:
    """Return the mean of a figure over independent runs, and the range of the middle 95% of the runs."""
    low, high = np.quantile(np.asarray(values, dtype=np.float64), [0.025, 0.975]).tolist()
    return mean_of(values, sample)._replace(spread_low=low, spread_high=high)


def _with_binomial_spread(estimate: Estimate, games: int) -> Estimate:
    """Return a percentage of games won with the spread of measurements of some games."""
    from scipy.stats import binom

    low, high = binom.interval(0.95, games, estimate.value / 100) if 0 < estimate.value < 100 else (0, 0)
    if low == high:
        return estimate._replace(spread_low=estimate.value, spread_high=estimate.value)
    return estimate._replace(spread_low=100 * float(low) / games, spread_high=100 * float(high) / games)


def _sample(count: int, unit: str) -> str:
    first, *rest = unit.split(" ")
    return " ".join((f"{count:,}", first.removesuffix("s") if count == 1 else first, *rest))
