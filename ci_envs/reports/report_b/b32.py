"""Section B32: Nim by an evolved threshold.

A genome is a probability p: the strategy takes all of a random row with probability p, else all but one, which of a row
of one object is an illegal pass. The fitness is the share of 100 matches against the optimal opponent, measured once.
Matches are independent, so the measurement of a genome is a draw from the binomial distribution with its exact share.
The optimal opponent plays any of the moves that leave a nim-sum of 0, each with the same probability.
"""

from functools import cache

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.reports.nim_agent import strategy_agent
from ci_envs.reports.nim_strategies import (
    Chances,
    Rows,
    Strategy,
    leave_one,
    leave_one_or_take_it,
    nim_expert,
    take_row,
    win_percentage,
    win_share,
)
from ci_envs.reports.section import Claim, ClaimVerdict, Estimate, FigureRow, Findings, RunOptions, Section

_MATCHES, _POPULATION, _OFFSPRING, _GENERATIONS, _MUTATION = 100, 50, 300, 50, 0.2
_RUNS, _QUICK_RUNS = 1000, 50
_FIGURES = {0: 33, 5: 38, 10: 40, 25: 41, 50: 41}
"""The best fitness that report B prints, in percent, by generation."""

_BEST_THRESHOLD = 0.4614  # the genome that report B prints for its last generations
_DEGREE = 32  # the share is a polynomial of p of at most this degree: a match has 16 objects, and as many passes


def threshold(p: float, leaves_one: Strategy = leave_one) -> Strategy:
    """Return the strategy of a genome.

    Args:
        p: The probability to take all of a random row, 0 to 1.
        leaves_one: What it plays otherwise.
    """

    def strategy(rows: Rows) -> Chances:
        chances = {move: p * chance for move, chance in take_row(rows).items()}
        for move, chance in leaves_one(rows).items():
            chances[move] = chances.get(move, 0.0) + (1 - p) * chance
        return chances

    return strategy


@cache
def share_of() -> Chebyshev:
    """Return the exact share of matches that a genome wins, as a function of p: its interpolation polynomial."""
    shares = np.vectorize(lambda p: win_share(threshold(float(p)), nim_expert))
    return Chebyshev.interpolate(shares, _DEGREE, domain=[0, 1])


def best_fitness(rng: Generator, generations: int = _GENERATIONS) -> NDArray[np.float64]:
    """Run report B's evolution and return the best measured fitness of each generation, float64 (generations + 1,).

    Args:
        rng: The source of random numbers.
        generations: The number of generations after the first population.
    """
    genomes = rng.random(_POPULATION)
    fitness = _measured(genomes, rng)
    best = [fitness.max()]
    for _ in range(generations):
        parents = genomes[_tournaments(fitness, (_OFFSPRING, 2), rng)]
        is_new = rng.random(_OFFSPRING) < _MUTATION
        offspring = np.where(is_new, rng.random(_OFFSPRING), parents.mean(axis=1))
        genomes, fitness = np.append(genomes, offspring), np.append(fitness, _measured(offspring, rng))
        survivors = np.argsort(-fitness, kind="stable")[:_POPULATION]
        genomes, fitness = genomes[survivors], fitness[survivors]
        best.append(fitness[0])
    return np.array(best)


def _measured(genomes: NDArray[np.float64], rng: Generator) -> NDArray[np.float64]:
    """Return the share of 100 matches that each genome wins."""
    shares = np.clip(share_of()(genomes), 0, 1)
    measured: NDArray[np.float64] = rng.binomial(_MATCHES, shares) / _MATCHES
    return measured


def _tournaments(fitness: NDArray[np.float64], shape: tuple[int, int], rng: Generator) -> NDArray[np.int64]:
    """Return the winners of tournaments of two, drawn with replacement."""
    drawn = rng.integers(len(fitness), size=(2, *shape))
    winners: NDArray[np.int64] = np.where(fitness[drawn[0]] >= fitness[drawn[1]], drawn[0], drawn[1])
    return winners


def run(options: RunOptions) -> Findings:
    """Repeat report B's evolution, and compare the best measurement with the best exact share."""
    runs = _QUICK_RUNS if options.quick else _RUNS
    rng = np.random.default_rng(options.seed)
    curves = []
    for number in range(runs):
        curves.append(100 * best_fitness(rng))
        options.report_progress((number + 1) / runs)
    means, (lows, highs) = np.mean(curves, axis=0), np.quantile(curves, [0.025, 0.975], axis=0)
    legal, ours = (win_percentage(one, nim_expert) for one in (threshold(0.5, leave_one_or_take_it), nim_expert))
    rows = [
        FigureRow(
            f"best measured fitness, generation {generation}",
            figure,
            Estimate(float(means[generation]), float(lows[generation]), float(highs[generation])),
            legal,
            ours,
            "The start is lost for the first player: without the illegal pass every strategy wins 0%.",
            "%",
        )
        for generation, figure in _FIGURES.items()
    ]
    best = 100 * float(share_of()(np.linspace(0, 1, 1001)).max())
    exact = FigureRow("exact share of the best p", None, Estimate.exact(best), legal, ours, unit="%")
    return Findings((*rows, exact), _CLAIMS)


_CLAIMS = (
    Claim(
        "The algorithm converges early.",
        ClaimVerdict.HOLDS,
        "It converges to noise: the best p wins 23% of the matches, and 41% is the largest of thousands of"
        " measurements of 100 matches.",
    ),
    Claim(
        "A (mu + lambda) scheme would cure the early convergence.",
        ClaimVerdict.FAILS,
        "The algorithm is a (mu + lambda) scheme already: the best of parents and offspring survive.",
    ),
)

SECTION = Section(
    name="B32",
    title="Nim by an evolved threshold",
    game="Nim-v0:heaps=1,3,5,7",
    purpose="Evolve the probability with which a strategy takes whole rows.",
    lesson=(
        "The best genome wins 23% of the matches, and only with an illegal pass; the printed 41% is the largest of"
        " thousands of measurements of 100 matches each."
    ),
    conditions=(
        "The strategy moves first against the optimal opponent (nim-sum), 100 matches a measurement. Population 50, 300"
        f" offspring, {_GENERATIONS} generations. The interval holds the middle 95% of {_RUNS} runs ({_QUICK_RUNS} with"
        " --quick)."
    ),
    seconds=20,
    run=run,
    agents={"B32": strategy_agent(threshold(_BEST_THRESHOLD, leave_one_or_take_it))},
)
