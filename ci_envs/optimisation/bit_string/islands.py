"""Several populations, between which the best migrate.

Cohoon, Hegde, Martin and Richards, "Punctuated equilibria: a parallel genetic algorithm", ICGA 1987.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ci_envs.optimisation.bit_string.box import Box
from ci_envs.optimisation.bit_string.genetic import plan_of
from ci_envs.optimisation.evolution.engine import Plan, State, first_generation, next_generation
from ci_envs.optimisation.evolution.initial import RandomBits
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Found
from ci_envs.validation import integer_between


def islands(
    problem: Problem,
    parents: str = "fitness",
    *,
    islands: int = 4,
    migration: int = 10,
    population: int = 20,
    offspring: int = 20,
    crossover: str | None = "uniform",
    tournament: int = 3,
    flips: float = 1.0,
    calls: int = 26_000,
    seed: int = 0,
) -> Iterator[Found]:
    """Evolve populations in a ring, each as :func:`~ci_envs.optimisation.bit_string.genetic.genetic` does.

    Args:
        problem: what is to be solved.
        parents: as of ``genetic``.
        islands: how many populations, up to ``calls``.
        migration: after how many generations the best of each population replaces the worst of the next.
        population: genomes that live on, of each island; all together up to ``calls``.
        offspring: genomes made in a generation, of each island.
        crossover: the same as of ``genetic``.
        tournament: the same.
        flips: the same.
        calls: that all islands make at most; it ends when they do not do for another generation.
        seed: of all random numbers, 0 or more.

    Raises:
        ValueError: a value is out of range, or they do not make a population.
    """
    box, rng = Box(problem, calls), np.random.default_rng(integer_between("seed", seed, 0))
    count = integer_between("islands", islands, 1, calls)
    integer_between("migration", migration, 1)
    plan = plan_of(box.loci, parents, population, offspring, crossover, tournament, flips)
    integer_between("population", population, 1, calls // count)
    seeds = rng.integers(2**64, size=count, dtype=np.uint64).tolist()
    return _evolve(box, plan, seeds, migration)


def _evolve(box: Box, plan: Plan, seeds: list[int], migration: int) -> Iterator[Found]:
    initial = RandomBits(box.loci)

    def fitness(genomes: Genomes, _: int) -> Values:
        return box.fitness(genomes)

    states = [first_generation(plan, fitness, initial, one) for one in seeds]
    yield box.found()
    while box.left >= len(seeds) * plan.offspring:
        states = [next_generation(plan, fitness, initial, state) for state in states]
        yield box.found()
        if states[0].generation % migration == 0:
            states = [_joined(state, states[number - 1]) for number, state in enumerate(states)]


def _joined(state: State, other: State) -> State:
    """A state in which the best of another has taken the place of the worst."""
    genomes, fitness = state.genomes.copy(), state.fitness.copy()
    worst, best = int(fitness.argmin()), int(other.fitness.argmax())
    genomes[worst], fitness[worst] = other.genomes[best], other.fitness[best]
    return replace(state, genomes=genomes, fitness=fitness)
