"""The island model: several populations between which the best genomes migrate.

Cohoon, Hegde, Martin and Richards, "Punctuated equilibria: a parallel genetic algorithm", ICGA 1987.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ci_envs.optimisation.bit_string.black_box import BlackBox
from ci_envs.optimisation.bit_string.genetic import GeneticOptions
from ci_envs.optimisation.evolution.engine import Plan, State, first_generation, next_generation
from ci_envs.optimisation.evolution.initial import RandomBits
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Incumbent
from ci_envs.validation import integer_between


def islands(
    problem: Problem,
    parents: str = "fitness",
    *,
    islands: int = 4,
    migration: int = 10,
    population: int = 20,
    crossover: str | None = "uniform",
    tournament: int = 3,
    flips: float = 1.0,
    calls: int = 26_000,
    seed: int = 0,
) -> Iterator[Incumbent]:
    """Evolve populations in a ring, each as :func:`~ci_envs.optimisation.bit_string.genetic.genetic` does.

    Args:
        problem: the problem to solve.
        parents: the selection of parents, see ``genetic``.
        islands: the number of populations, from 1 to ``calls``.
        migration: the number of generations between migrations, in which the best genome of each population replaces
            the worst genome of the next.
        population: the number of genomes per island, and of the offspring per island and generation. All islands
            together have at most ``calls`` genomes.
        crossover: see ``genetic``.
        tournament: see ``genetic``.
        flips: see ``genetic``.
        calls: the maximum number of fitness calls of all islands together; the search ends when too few are left for
            another generation.
        seed: the seed of all random numbers, 0 or more.

    Raises:
        ValueError: a value is out of range, or the values do not fit together.
    """
    box, rng = BlackBox(problem, calls), np.random.default_rng(integer_between("seed", seed, 0))
    count = integer_between("islands", islands, 1, calls)
    integer_between("migration", migration, 1)
    of_each = GeneticOptions(
        parents, population=population, offspring=population, crossover=crossover, tournament=tournament, flips=flips
    )
    plan = of_each.plan(box.loci)
    integer_between("population", population, 1, calls // count)
    seeds = rng.integers(2**64, size=count, dtype=np.uint64).tolist()
    return _evolve(box, plan, seeds, migration)


def _evolve(box: BlackBox, plan: Plan, seeds: list[int], migration: int) -> Iterator[Incumbent]:
    initial = RandomBits(box.loci)

    def fitness(genomes: Genomes, _: int) -> Values:
        return box.fitness(genomes)

    states = [first_generation(plan, fitness, initial, seed) for seed in seeds]
    yield box.incumbent()
    while box.remaining >= len(seeds) * plan.offspring:
        states = [next_generation(plan, fitness, initial, state) for state in states]
        yield box.incumbent()
        if states[0].generation % migration == 0:
            states = [_immigrate(state, states[number - 1]) for number, state in enumerate(states)]


def _immigrate(state: State, source: State) -> State:
    """Return a state in which the best genome of ``source`` has replaced the worst genome."""
    genomes, fitness = state.genomes.copy(), state.fitness.copy()
    worst, best = int(fitness.argmin()), int(source.fitness.argmax())
    genomes[worst], fitness[worst] = source.genomes[best], source.fitness[best]
    return replace(state, genomes=genomes, fitness=fitness)
