"""UMDA: Muehlenbein and Paass, "From recombination of genes to the estimation of distributions", PPSN IV, 1996.

The margins, which keep every bit variable, are those of Krejca and Witt, "Theory of estimation-of-distribution
algorithms", 2020.
"""

from collections.abc import Iterator
from typing import Annotated

import numpy as np
from numpy.random import Generator

from ci_envs.optimisation.bit_string.black_box import BlackBox, Calls, Seed
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Incumbent
from ci_envs.registry.options import Option, validated
from ci_envs.validation import integer_between


@validated
def umda(
    problem: Problem,
    *,
    population: Annotated[
        int, Option("number of genomes per generation; the last generation may have fewer", ge=1)
    ] = 300,
    best: Annotated[
        int, Option("number of genomes that the frequencies are estimated from, at most population", ge=1)
    ] = 100,
    calls: Calls = 26_000,
    seed: Seed = 0,
) -> Iterator[Incumbent]:
    """Univariate marginal distribution algorithm: sample each bit with its frequency among the best genomes.

    The frequencies of ones are those of the previous generation, limited to 1 / loci to 1 - 1 / loci. The work is the
    number of fitness calls.
    """
    box, rng = BlackBox(problem, calls), np.random.default_rng(seed)
    integer_between("best", best, 1, population)
    return _solve(box, population, best, rng)


def _solve(box: BlackBox, population: int, best: int, rng: Generator) -> Iterator[Incumbent]:
    margin = min(0.5, 1 / box.loci)
    frequencies = np.full(box.loci, 0.5)
    while box.remaining:
        genomes = rng.random((min(population, box.remaining), box.loci)) < frequencies
        order = np.argsort(-box.fitness(genomes), kind="stable")
        yield box.incumbent()
        frequencies = np.clip(genomes[order[:best]].mean(axis=0), margin, 1 - margin)
