"""The genetic algorithm of a report of 2022 on set covering, on the engine of :mod:`ci_envs.agents.evolution`."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from ci_envs.optimisation.bit_string.box import Box
from ci_envs.optimisation.bit_string.genetic import crossover_named, evolved
from ci_envs.optimisation.evolution.engine import Plan
from ci_envs.optimisation.evolution.initial import RandomBits
from ci_envs.optimisation.evolution.parameters import Genomes, between
from ci_envs.optimisation.evolution.selection import TournamentSelection
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Found
from ci_envs.validation import integer_between


@dataclass(frozen=True)
class Lighten:
    """Flips bits, or with probability ``losing`` clears bits that are set: one, and more by Poisson(1).

    Of a genome with hardly any bit set, a flip nearly always sets one more; it is clearing that makes a cover lighter.
    """

    losing: float = 0.5

    def __post_init__(self) -> None:
        between("losing", self.losing, 0, 1)

    def __call__(self, genomes: Genomes, rng: Generator, step: float) -> Genomes:
        """As :data:`~ci_envs.optimisation.evolution.mutation.Mutation` says."""
        mutants = genomes.copy()
        for mutant, losing in zip(mutants, rng.random(len(mutants)) < self.losing, strict=True):
            places = np.flatnonzero(mutant) if losing else np.arange(len(mutant))
            changes = min(len(places), 1 + rng.poisson(1.0))
            mutant[rng.choice(places, changes, replace=False)] ^= True
        return mutants


def covering_genetic(
    problem: SetCovering,
    *,
    population: int = 20,
    offspring: int = 20,
    crossover: str | None = "uniform",
    crossed: float = 0.2,
    tournament: int = 15,
    losing: float = 0.5,
    calls: int = 20_020,
    seed: int = 0,
) -> Iterator[Found]:
    """Evolve choices of lists, of which those that cover more are better, and of equals the lighter.

    The defaults are the report's: 1000 generations of 20. Where it changes a child or crosses its parents, here what
    is crossed is changed too.

    Args:
        problem: what is to be solved.
        population: genomes that live on, up to ``calls``; at first they have twice as many lists as would do if no two
            overlapped, at most half of all.
        offspring: genomes made in a generation.
        crossover: ``uniform``, ``one_point``, or None: then every child has one parent.
        crossed: share of the children that have two parents.
        tournament: of how many the best becomes a parent.
        losing: share of the children that are made lighter; the others have bits flipped.
        calls: for fitness, at most; it ends when they do not do for another generation.
        seed: of all random numbers, 0 to 2^64 - 1.

    Raises:
        ValueError: a value is out of range.
    """
    box = Box(problem, calls)
    integer_between("population", population, 1, calls)
    plan = Plan(
        population,
        offspring,
        Lighten(losing),
        TournamentSelection(tournament),
        crossover_named(crossover),
        crossover_rate=crossed,
    )
    members = sum(map(len, problem.lists))
    return evolved(box, plan, RandomBits(box.loci, min(0.5, 2 * problem.size / members)), seed)
