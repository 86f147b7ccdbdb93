"""The island model: several populations between which the best genomes migrate.

Cohoon, Hegde, Martin and Richards, "Punctuated equilibria: a parallel genetic algorithm", ICGA 1987.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

import numpy as np

from ci_envs.optimisation.bit_string.black_box import BlackBox, Calls, Seed
from ci_envs.optimisation.bit_string.genetic import CrossoverName, Flips, GeneticOptions, Parents, TournamentSize
from ci_envs.optimisation.evolution.engine import Plan, State, first_generation, next_generation
from ci_envs.optimisation.evolution.initial import RandomBits
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Incumbent
from ci_envs.registry.options import Option, validated
from ci_envs.validation import integer_between


@validated
def islands(
    problem: Problem,
    parents: Parents = "fitness",
    *,
    islands: Annotated[int, Option("number of populations, at most calls", ge=1)] = 4,
    migration: Annotated[
        int,
        Option(
            "generations between migrations, in which the best genome of each population replaces the worst genome of "
            "the next",
            ge=1,
        ),
    ] = 10,
    population: Annotated[
        int,
        Option(
            "genomes per island, and offspring per island and generation; all islands together have at most calls "
            "genomes",
            ge=1,
        ),
    ] = 20,
    crossover: CrossoverName = "uniform",
    tournament: TournamentSize = 3,
    flips: Flips = 1.0,
    calls: Calls = 26_000,
    seed: Seed = 0,
) -> Iterator[Incumbent]:
    """Evolve populations in a ring, each as :func:`~ci_envs.optimisation.bit_string.genetic.genetic` does."""
    box, rng = BlackBox(problem, calls), np.random.default_rng(seed)
    count = integer_between("islands", islands, 1, calls)
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
