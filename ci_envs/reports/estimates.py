"""Estimates with 95% intervals."""

from collections.abc import Sequence

import numpy as np

from ci_envs.arena.ratings import wilson_interval
from ci_envs.reports.section import Estimate


def share_in_games(share: float, games: int) -> Estimate:
    """Return an exact percentage of games won, and the interval that contains 95% of its measurements.

    Args:
        share: The exact probability to win a game, 0 to 1.
        games: The number of games of a measurement.
    """
    from scipy.stats import binom

    low, high = binom.interval(0.95, games, share) if 0 < share < 1 else (share * games, share * games)
    return Estimate(100 * share, 100 * float(low) / games, 100 * float(high) / games)


def measured_share(wins: int, games: int) -> Estimate:
    """Return a measured percentage of games won, and its Wilson interval.

    Args:
        wins: The games won, 0 to ``games``.
        games: The games played, 1 or more.
    """
    low, high = wilson_interval(wins, games)
    return Estimate(100 * wins / games, 100 * low, 100 * high)


def spread_of_runs(values: Sequence[float]) -> Estimate:
    """Return the median of a figure over independent runs, and the range of the middle 95% of the runs."""
    median, low, high = np.quantile(values, [0.5, 0.025, 0.975])
    return Estimate(float(median), float(low), float(high))
