"""The genetic algorithm of report A for the black-box bit string.

It is our evolutionary algorithm with the operators of report A: 100 genomes; a mating pool of 20 winners of tournaments
of 10; children of two different entries of the pool by uniform crossover, of which each bit flips with probability
0.01; the children replace everything. From generation 50 on the search stops when the best fitness of a generation has
not been exceeded for 50 generations. The best fitness of the first 50 generations does not count for that, and one more
generation is evaluated at the end.
"""

from collections.abc import Iterator

from ci_envs.optimisation.bit_string.genetic import GeneticOptions
from ci_envs.optimisation.bit_string.problem import BitString
from ci_envs.optimisation.evolution.engine import State, evolve
from ci_envs.optimisation.evolution.initial import RandomBits
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.optimisation.solving import Incumbent

POPULATION = 100
PATIENCE = 50  # generations, before early stopping begins and without an improvement
FLIP_RATE = 0.01
PARENTS = ("fitness", "ones")
"""The two selections of parents."""


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


def black_box(problem: BitString, parents: str, *, seed: int = 0) -> Iterator[Incumbent]:
    """Solve a black box by report A's algorithm; the work is the number of fitness calls.

    Args:
        problem: the black box.
        parents: the selection of parents: ``fitness`` or ``ones``.
        seed: the seed of all random numbers, 0 to 2^64 - 1.
    """
    for state in generations(problem, parents, seed):
        yield Incumbent(state.hall[0], float(state.hall_fitness[0]), state.calls)


def by_fitness(problem: BitString, *, seed: int = 0) -> Iterator[Incumbent]:
    """Solve a black box with parents by fitness; see :func:`black_box`."""
    return black_box(problem, "fitness", seed=seed)


def by_ones(problem: BitString, *, seed: int = 0) -> Iterator[Incumbent]:
    """Solve a black box with parents by the number of ones; see :func:`black_box`."""
    return black_box(problem, "ones", seed=seed)
