"""Report B's evolution of strategies for Nim in our engine, and the variants that its reviews propose.

The fitness of a genome is the share of 100 matches that it wins. Matches are independent, so a measurement is a sample
of the binomial distribution with the exact share of the genome.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.random import Generator

from ci_envs.optimisation.evolution.crossover import Uniform
from ci_envs.optimisation.evolution.engine import Fitness, Plan, evolve
from ci_envs.optimisation.evolution.initial import RandomNumbers
from ci_envs.optimisation.evolution.mutation import UniformReset
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.optimisation.evolution.selection import TournamentSelection
from ci_envs.optimisation.evolution.survival import Comma, Immigration, Plus
from ci_envs.reports.report_b.nim_shares import MATCHES

ExactShares = Callable[[Genomes], Values]
"""A function that takes genomes (n, genes), and returns their exact shares of games won, float64 (n,)."""


def mean_crossover(mothers: Genomes, fathers: Genomes, rng: Generator) -> Genomes:
    """Return the means of pairs of genomes, as in report B."""
    mean: Genomes = (mothers + fathers) / 2
    return mean


REPORT_PLAN = Plan(
    population=50,
    offspring=300,
    mutate=UniformReset(0.0, 1.0, rate=0.2),
    select=TournamentSelection(2),
    crossover=mean_crossover,
    survive=Plus(keeps_parents=True),
)
"""Report B's evolution: (50 + 300). The parents keep their first measurement."""

PROPOSED_PLANS: Mapping[str, Plan] = {
    "(mu, lambda), lambda = 6 mu": replace(REPORT_PLAN, survive=Comma()),
    "population 500, 3000 offspring": replace(REPORT_PLAN, population=500, offspring=3000),
    "extinction after 5 generations without a record": replace(REPORT_PLAN, immigration=Immigration(5, 1.0)),
    "survivors measured again": replace(REPORT_PLAN, reevaluate=True),
    "the p of either parent instead of the mean": replace(REPORT_PLAN, crossover=Uniform()),
}
"""The variants from the reviews of report B, and a variant with new measurements of the survivors."""


def measured_fitness(shares: ExactShares) -> Fitness:
    """Return report B's fitness: the measured share of wins in 100 matches."""

    def fitness(genomes: Genomes, seed: int) -> Values:
        chances = np.clip(shares(genomes), 0, 1)
        measured: Values = np.random.default_rng(seed).binomial(MATCHES, chances) / MATCHES
        return measured

    return fitness


def exact_fitness(shares: ExactShares) -> Fitness:
    """Return a fitness with the exact share of wins."""
    return lambda genomes, seed: shares(genomes)


def best_genomes(
    plan: Plan, fitness: Fitness, genes: int, generations: int, seeds: Iterable[int]
) -> tuple[Genomes, Values]:
    """Run an evolution for each seed.

    Args:
        plan: The evolutionary algorithm.
        fitness: Evaluates genomes.
        genes: The number of genes, each from 0 to 1.
        generations: The number of generations after the first population.
        seeds: The seeds of the runs.

    Returns:
        The best genome of each generation, float64 (seeds, generations + 1, genes), and its fitness, float64 (seeds,
        generations + 1).
    """
    initial, bests, values = RandomNumbers(genes, 0.0, 1.0), [], []
    for seed in seeds:
        states = list(islice(evolve(plan, fitness, initial, seed=seed), generations + 1))
        bests.append([state.genomes[state.fitness.argmax()] for state in states])
        values.append([state.fitness.max() for state in states])
    return np.array(bests), np.array(values)
