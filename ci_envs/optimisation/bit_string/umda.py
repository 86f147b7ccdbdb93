"""UMDA: Muehlenbein and Paass, "From recombination of genes to the estimation of distributions", PPSN IV, 1996.

The margins, which keep any bit from being lost for good, are those of Krejca and Witt, "Theory of estimation-of-
distribution algorithms", 2020.
"""

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from ci_envs.optimisation.bit_string.box import Box
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Found
from ci_envs.validation import integer_between


def umda(
    problem: Problem, *, population: int = 300, best: int = 100, calls: int = 26_000, seed: int = 0
) -> Iterator[Found]:
    """Draw genomes bit by bit with the shares of ones among the best of the generation before.

    The shares stay between 1 / loci and 1 - 1 / loci.

    Args:
        problem: what is to be solved.
        population: genomes of a generation; the last one may have fewer.
        best: how many of them the shares are of.
        calls: that it makes.
        seed: of all random numbers, 0 or more.

    Raises:
        ValueError: a value is out of range.
    """
    box, rng = Box(problem, calls), np.random.default_rng(integer_between("seed", seed, 0))
    integer_between("population", population, 1)
    integer_between("best", best, 1, population)
    return _umda(box, population, best, rng)


def _umda(box: Box, population: int, best: int, rng: Generator) -> Iterator[Found]:
    margin = min(0.5, 1 / box.loci)
    shares = np.full(box.loci, 0.5)
    while box.left:
        genomes = rng.random((min(population, box.left), box.loci)) < shares
        order = np.argsort(-box.fitness(genomes), kind="stable")
        yield box.found()
        shares = np.clip(genomes[order[:best]].mean(axis=0), margin, 1 - margin)
