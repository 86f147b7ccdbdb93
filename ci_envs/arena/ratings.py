"""Ratings and intervals: Bradley-Terry ratings on the Elo scale, and Wilson's interval for a share of games.

The Bradley-Terry model (Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39, 1952) says that
i beats j with probability ``s_i / (s_i + s_j)``. A rating is ``400 log10 s``. choix fits it with the Luce spectral
ranking of Maystre and Grossglauser (NeurIPS 2015). A draw counts as half a win for each agent.

Before the fit, each pair of agents gets half a win in each direction, so the rating of an agent that won all its games
is finite. This is the posterior mean under Jeffreys' prior for a share (Brown, Cai and DasGupta, "Interval estimation
for a binomial proportion", Statistical Science 16, 2001). The intervals come from the same posterior, by the Bayesian
bootstrap (Rubin, "The Bayesian bootstrap", Annals of Statistics 9, 1981): the shares of wins, draws and losses of each
pair are drawn from their Dirichlet distribution, and the ratings are fitted to these shares.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from ci_envs.validation import integer_between

CONFIDENCE = 0.95
"""The confidence level of all intervals."""

_ELO = 400 / math.log(10)
_PRIOR_WINS = 0.5
_RESAMPLES = 1000
_TOLERANCE, _RESAMPLE_TOLERANCE = 1e-8, 1e-3  # the second changes an interval by less than 0.1 Elo


@dataclass(frozen=True)
class Rating:
    """An Elo rating, relative to the mean of all agents, and its 95% interval.

    Examples:
        >>> from ci_envs.arena import Rating
        >>> Rating(elo=120.0, low=80.0, high=165.0).elo
        120.0
    """

    elo: float
    low: float
    high: float


def elo_ratings(wins: NDArray[np.integer], draws: NDArray[np.integer], *, seed: int = 0) -> tuple[Rating, ...]:
    """Return the ratings of n agents after a round robin, with mean 0.

    Args:
        wins: shape (n, n); ``wins[i, j]`` is the number of games that i won against j.
        draws: shape (n, n), symmetric; the number of draws between i and j.
        seed: the seed of the bootstrap of the intervals.

    Raises:
        ValueError: the arrays have other shapes or negative numbers, or two agents did not meet.

    Examples:
        >>> import numpy as np
        >>> from ci_envs.arena import elo_ratings
        >>> first, second = elo_ratings(np.array([[0, 75], [25, 0]]), np.zeros((2, 2), dtype=int))
        >>> round(first.elo - second.elo)
        189
    """
    counts, n = _counts(wins, draws)
    fitted = _fit(counts, n, None)
    rng = np.random.default_rng(integer_between("seed", seed, 0))
    resampled = [_fit(_resample(counts, rng), n, fitted) for _ in range(_RESAMPLES)]
    low, high = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return tuple(Rating(*map(float, row)) for row in _ELO * np.stack([fitted, low, high], axis=1))


def point_ratings(wins: NDArray[np.integer], draws: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return the ratings of n agents without intervals, which take most of the time of :func:`elo_ratings`.

    Args:
        wins: shape (n, n); ``wins[i, j]`` is the number of games that i won against j.
        draws: shape (n, n), symmetric; the number of draws between i and j.

    Returns:
        Elo ratings relative to the mean of all agents, float64 of shape (n,).

    Raises:
        ValueError: the arrays have other shapes or negative numbers, or two agents did not meet.
    """
    counts, n = _counts(wins, draws)
    return _ELO * _fit(counts, n, None)


def wilson_interval(successes: float, trials: int) -> tuple[float, float]:
    """Return Wilson's 95% score interval (1927) for a share, from ``successes`` in ``trials``.

    For mean points of games, of which a draw has 1/2, it is too wide rather than too narrow.

    Raises:
        ValueError: ``trials`` is not positive, or ``successes`` is not from 0 to ``trials``.

    Examples:
        >>> from ci_envs.arena import wilson_interval
        >>> low, high = wilson_interval(90, 100)
        >>> round(low, 3), round(high, 3)
        (0.826, 0.945)
    """
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(f"successes must be 0 to trials, and trials 1 or more, not {successes} of {trials}")
    # scipy.stats.binomtest gives the same result, but takes a second to import
    z2, share = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) ** 2, successes / trials
    middle, scale = share + z2 / (2 * trials), 1 + z2 / trials
    half = math.sqrt(z2 * (share * (1 - share) + z2 / (4 * trials)) / trials)
    # rounding must not exclude the share, which is an end of the interval if it is 0 or 1
    return max(0.0, min(share, (middle - half) / scale)), min(1.0, max(share, (middle + half) / scale))


def _counts(wins: NDArray[np.integer], draws: NDArray[np.integer]) -> tuple[NDArray[np.float64], int]:
    """Return the wins, draws and losses of each pair with its prior wins, float64 (pairs, 3), and the number n."""
    wins, draws = np.asarray(wins), np.asarray(draws)
    n = len(wins)
    if n < 2 or wins.shape != (n, n) or draws.shape != (n, n):
        raise ValueError(f"need two square arrays for 2 agents or more, not the shapes {wins.shape} and {draws.shape}")
    if not np.array_equal(draws, draws.T):
        raise ValueError(f"need two square arrays, that of the draws with equal halves, not draws={draws.tolist()}")
    i, j = np.triu_indices(n, 1)
    counts = np.stack([wins[i, j], draws[i, j], wins[j, i]], axis=1).astype(np.float64)
    if not (np.isfinite(counts) & (counts >= 0)).all():
        raise ValueError("the numbers of games must be 0 or more")
    if not counts.any(axis=1).all():
        raise ValueError("some agents did not meet: every two agents must play at least one game")
    counts[:, [0, 2]] += _PRIOR_WINS
    return counts, n


def _resample(counts: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    shares = rng.standard_gamma(counts)  # divided by their sum they are a sample of the Dirichlet distribution
    drawn: NDArray[np.float64] = shares * (counts.sum(axis=1) / shares.sum(axis=1))[:, np.newaxis]
    return drawn


def _fit(counts: NDArray[np.float64], n: int, start: NDArray[np.float64] | None) -> NDArray[np.float64]:
    if n == 2:  # the ratings have a closed form, and choix takes a second to import
        first, second = (float(counts[0, column] + counts[0, 1] / 2) for column in (0, 2))
        half = math.log(first / second) / 2
        return np.array([half, -half])
    from choix import ilsr_pairwise_dense

    i, j = np.triu_indices(n, 1)
    points = np.zeros((n, n))
    points[i, j] = counts[:, 0] + counts[:, 1] / 2
    points[j, i] = counts[:, 2] + counts[:, 1] / 2
    tolerance = _TOLERANCE if start is None else _RESAMPLE_TOLERANCE
    return ilsr_pairwise_dense(points, initial_params=start, tol=tolerance)
