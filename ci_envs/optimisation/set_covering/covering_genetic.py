"""The genetic algorithm of a report of 2022 on set covering, on :mod:`ci_envs.optimisation.evolution`."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from ci_envs.optimisation.bit_string.black_box import BlackBox
from ci_envs.optimisation.bit_string.genetic import crossover_named, run_plan
from ci_envs.optimisation.evolution.engine import Plan
from ci_envs.optimisation.evolution.initial import RandomBits
from ci_envs.optimisation.evolution.parameters import Genomes, between
from ci_envs.optimisation.evolution.selection import TournamentSelection
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Incumbent
from ci_envs.validation import integer_between


@dataclass(frozen=True)
class FlipOrClear:
    """Mutation that clears bits that are set with probability ``clear_rate``, and flips any bits otherwise.

    The number of bits is 1 plus a Poisson(1) number. In a genome with few bits set, a flip nearly always sets one more
    bit; clearing makes a cover cheaper.
    """

    clear_rate: float = 0.5

    def __post_init__(self) -> None:
        between("clear_rate", self.clear_rate, 0, 1)

    def __call__(self, genomes: Genomes, rng: Generator, step: float) -> Genomes:
        """Return mutated copies, see :data:`~ci_envs.optimisation.evolution.mutation.Mutation`."""
        mutants = genomes.copy()
        for mutant, clears in zip(mutants, rng.random(len(mutants)) < self.clear_rate, strict=True):
            loci = np.flatnonzero(mutant) if clears else np.arange(len(mutant))
            count = min(len(loci), 1 + rng.poisson(1.0))
            mutant[rng.choice(loci, count, replace=False)] ^= True
        return mutants


def covering_genetic(
    problem: SetCovering,
    *,
    population: int = 20,
    offspring: int = 20,
    crossover: str | None = "uniform",
    crossover_rate: float = 0.2,
    tournament: int = 15,
    clear_rate: float = 0.5,
    calls: int = 20_020,
    seed: int = 0,
) -> Iterator[Incumbent]:
    """Genetic algorithm: fitter genomes cover more elements, or as many at a lower cost; the work is the fitness calls.

    The defaults are the report's: 1000 generations of 20. The report either mutates a child or crosses its parents;
    here the children of two parents are mutated too.

    Args:
        problem: the instance.
        population: the number of genomes that survive, from 1 to ``calls``. The sets that an initial genome selects
            have on average ``2 * size`` elements in total, counted with repetition; it selects at most half of all.
        offspring: the number of genomes made per generation.
        crossover: ``uniform``, ``one_point``, or None for children with one parent.
        crossover_rate: the share of the children that have two parents, from 0 to 1.
        tournament: the tournament size of the selection of parents.
        clear_rate: the share of the mutations that only clear bits, from 0 to 1; the others flip bits.
        calls: the maximum number of fitness calls; the search ends when too few are left for another generation.
        seed: the seed of all random numbers, 0 to 2^64 - 1.

    Raises:
        ValueError: a value is out of range.
    """
    box = BlackBox(problem, calls)
    integer_between("population", population, 1, calls)
    plan = Plan(
        population,
        offspring,
        FlipOrClear(clear_rate),
        TournamentSelection(tournament),
        crossover_named(crossover),
        crossover_rate=crossover_rate,
    )
    total_size = sum(map(len, problem.sets))
    return run_plan(box, plan, RandomBits(box.loci, min(0.5, 2 * problem.size / total_size)), seed)
