"""The spread of shares that are measured in a number of games."""

from ci_envs.reports.section import Estimate


def share_in_games(share: float, games: int) -> Estimate:
    """Return a percentage of games won, and the interval in which 95% of measurements of it lie.

    Args:
        share: The exact probability to win a game, 0 to 1.
        games: The number of games of a measurement.
    """
    from scipy.stats import binom

    low, high = binom.interval(0.95, games, share) if 0 < share < 1 else (share * games, share * games)
    return Estimate(100 * share, 100 * float(low) / games, 100 * float(high) / games)
