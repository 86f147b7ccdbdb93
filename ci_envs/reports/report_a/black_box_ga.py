"""The genetic algorithm of report A for the black-box bit string.

This module uses our evolutionary algorithm with the operators of report A. The population has 100 genomes. The mating
pool has 20 winners of tournaments of 10. A child comes from two different entries of the pool by uniform crossover, and
each of its bits flips with probability 0.01. The children replace the population. From generation 50 on, the search
stops after 50 generations without a new best fitness. The best fitness of the first 50 generations does not count, and
the search evaluates one more generation at the end.
"""

from collections.abc import Iterator

from ci_envs.optimisation.bit_string.genetic import GeneticOptions
from ci_envs.optimisation.bit_string.problem import BitString
from ci_envs.optimisation.evolution.engine import State, evolve
from ci_envs.optimisation.evolution.initial import RandomBits
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.optimisation.solving import Incumbent

POPULATION = 100
PATIENCE = 50  # generations before early stopping starts, and generations without an improvement
FLIP_RATE = 0.01
PARENTS = ("fitness", "ones")
"""The two methods of parent selection."""


def generations(problem: BitString, parents: str, seed: int) -> Iterator[State]:
    """Yield the state of each generation of report A's algorithm.

    Args:
        problem: the black box.
        parents: the selection of parents: ``fitness`` or ``ones``.
        seed: the seed of all random numbers, 0 to 2^64 - 1.
    """

    def fitness(genomes: Genomes, _: int) -> Values:
        return problem.fitness(genomes)

    operators = GeneticOptions(
        parents,
        population=POPULATION,
        offspring=POPULATION,
        pool=20,
        tournament=10,
        flips=FLIP_RATE * problem.loci,
        survival="comma",
    )
    best, idle = 0.0, 0
    states = evolve(operators.plan(problem.loci), fitness, RandomBits(problem.loci), seed=seed)
    for state in states:
        yield state
        fittest = float(state.fitness.max())
        if fittest >= 1:
            return
        if state.generation >= PATIENCE:
            best, idle = (fittest, 0) if fittest > best else (best, idle + 1)
        if idle == PATIENCE:
            yield next(states)
            return


def black_box(problem: BitString, *, parents: str, seed: int = 0) -> Iterator[Incumbent]:
    """Solve a black box by report A's algorithm. The work is the number of fitness evaluations.

    Args:
        problem: the black box.
        parents: the selection of parents: ``fitness`` or ``ones``.
        seed: the seed of all random numbers, 0 to 2^64 - 1.
    """
    for state in generations(problem, parents, seed):
        yield Incumbent(state.hall[0], float(state.hall_fitness[0]), state.calls)
