"""Ratings and intervals, compared with formulas, published numbers and simulation."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import beta, binomtest

from ci_envs.arena import elo_ratings, wilson_interval


def table(n: int, games: dict[tuple[int, int], int]) -> NDArray[np.int64]:
    counts = np.zeros((n, n), dtype=np.int64)
    for pair, count in games.items():
        counts[pair] = count
    return counts


@pytest.mark.parametrize(
    ("wins", "draws", "losses"), [(60, 0, 40), (100, 0, 0), (0, 0, 2), (30, 40, 30), (10, 85, 5), (0, 7, 0), (0, 7, 1)]
)
def test_two_agents_differ_by_the_log_of_their_points(wins: int, draws: int, losses: int) -> None:
    first, second = elo_ratings(table(2, {(0, 1): wins, (1, 0): losses}), table(2, {(0, 1): draws, (1, 0): draws}))
    expected = 400 * math.log10((wins + draws / 2 + 0.5) / (losses + draws / 2 + 0.5))
    assert first.elo - second.elo == pytest.approx(expected, abs=1e-4)
    assert first.elo + second.elo == pytest.approx(0, abs=1e-6)
    assert first.low <= first.elo <= first.high
    assert (first.low, first.high) == pytest.approx((-second.high, -second.low))


def test_the_interval_of_two_agents_is_that_of_jeffreys() -> None:
    # without draws the share of wins has the posterior Beta(w + 1/2, l + 1/2)
    first, _ = elo_ratings(table(2, {(0, 1): 70, (1, 0): 30}), table(2, {}), seed=1)
    low, high = (200 * math.log10(p / (1 - p)) for p in beta.ppf([0.025, 0.975], 70.5, 30.5))
    assert (first.low, first.high) == pytest.approx((low, high), abs=5)


def test_draws_narrow_the_interval() -> None:
    decided, *_ = elo_ratings(table(2, {(0, 1): 50, (1, 0): 50}), table(2, {}))
    drawn, *_ = elo_ratings(table(2, {(0, 1): 5, (1, 0): 5}), table(2, {(0, 1): 90, (1, 0): 90}))
    assert drawn.high - drawn.low < (decided.high - decided.low) / 2


def simulate(strengths: NDArray[np.float64], games: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return games without draws, in which i beats j with the probability of Elo (1978)."""
    wins = np.zeros((len(strengths), len(strengths)), dtype=np.int64)
    for i, j in zip(*np.triu_indices(len(strengths), 1), strict=True):
        wins[i, j] = rng.binomial(games, 1 / (1 + 10 ** ((strengths[j] - strengths[i]) / 400)))
        wins[j, i] = games - wins[i, j]
    return wins


def test_known_strengths_are_recovered() -> None:
    strengths = np.array([-300.0, -50.0, 100.0, 250.0])
    ratings = elo_ratings(simulate(strengths, 20_000, np.random.default_rng(0)), np.zeros((4, 4), dtype=np.int64))
    assert [rating.elo for rating in ratings] == pytest.approx(strengths.tolist(), abs=6)


@pytest.mark.extended
def test_intervals_cover_the_truth() -> None:
    rng = np.random.default_rng(1)
    strengths = np.array([-200.0, 0.0, 200.0])
    covered = [
        rating.low <= truth <= rating.high
        for _ in range(10)
        for rating, truth in zip(
            elo_ratings(simulate(strengths, 60, rng), np.zeros((3, 3), dtype=np.int64)), strengths, strict=True
        )
    ]
    assert np.mean(covered) >= 0.85


def test_extreme_results_stay_finite_and_ordered() -> None:
    wins = np.triu(np.full((6, 6), 1000), 1)  # each player beats all players after it
    ratings = elo_ratings(wins, np.zeros_like(wins))
    elos = [rating.elo for rating in ratings]
    assert elos == sorted(elos, reverse=True)
    assert all(math.isfinite(value) for rating in ratings for value in (rating.elo, rating.low, rating.high))


@pytest.mark.extended
def test_same_seed_same_intervals() -> None:
    wins = table(3, {(0, 1): 50, (1, 2): 30, (2, 0): 10})
    draws = table(3, {(0, 1): 2, (1, 0): 2})
    first, again, other = (elo_ratings(wins, draws, seed=seed) for seed in (7, 7, 8))
    assert first == again != other


@pytest.mark.parametrize(
    ("wins", "draws"),
    [
        (np.zeros((1, 1)), np.zeros((1, 1))),
        (np.ones((2, 3)), np.ones((2, 3))),
        (np.ones((2, 2)), np.array([[0, 1], [2, 0]])),
        (table(3, {(0, 1): 1}), table(3, {})),
        (table(2, {(0, 1): -1}), table(2, {})),
        (np.array([[0, np.nan], [1, 0]]), np.zeros((2, 2))),
        (np.array([[0, np.inf], [1, 0]]), np.zeros((2, 2))),
    ],
)
def test_tables_that_are_refused(wins: NDArray[np.int64], draws: NDArray[np.int64]) -> None:
    with pytest.raises(ValueError, match=r"two square arrays|did not meet|numbers of games must be 0 or more"):
        elo_ratings(wins, draws)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998),
        # table I
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_as_published(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_wilson_interval_of_a_perfect_score() -> None:
    assert wilson_interval(100, 100) == pytest.approx((100 / (100 + 1.959964**2), 1))


@pytest.mark.parametrize(("successes", "trials"), [(0, 1), (1, 1), (3, 7), (0, 100), (100, 100), (499, 1000)])
def test_wilson_intervals_are_those_of_scipy(successes: int, trials: int) -> None:
    expected = binomtest(successes, trials).proportion_ci(0.95, method="wilson")
    found = wilson_interval(successes, trials)
    assert found == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert found[0] <= successes / trials <= found[1]  # exactly, also for 0 and 1


@pytest.mark.parametrize(("successes", "trials"), [(0, 0), (-1, 5), (6, 5)])
def test_shares_that_are_refused(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match=f"not {successes} of {trials}"):
        wilson_interval(successes, trials)
