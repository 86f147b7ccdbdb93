"""The genetic algorithm of report B for set covering, with the operators of its code.

This module uses our evolutionary algorithm with the operators of report B. Selection is by tournaments of two, sampled
with replacement. A child is a parent with one random bit flipped (30%), or a one-point crossover of two parents; the
point can be at an end. The best of parents and offspring survive, and a parent survives before an equal child. All
initial individuals are the empty selection. More covered elements are better; with equal coverage, less weight is
better.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

import numpy as np

from ci_envs.optimisation.bit_string.black_box import BlackBox
from ci_envs.optimisation.evolution.crossover import Crossover, OnePoint, Uniform
from ci_envs.optimisation.evolution.engine import State, evolve
from ci_envs.optimisation.evolution.survival import Comma, Plus, Survival
from ci_envs.optimisation.set_covering.covering_genetic import CoveringGeneticOptions
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Incumbent

GENERATIONS = 200

OPTIONS = CoveringGeneticOptions(
    population=1500,
    offspring=1000,
    ones=0.0,  # all individuals start as the same empty selection
    crossover="one_point",
    crossover_rate=0.7,
    mutates_crossed=False,
    mutation="flip_one",
    tournament=2,
)
"""The parameters of report B, as options of our solver ``covering_genetic``."""

_CROSSOVERS: Mapping[str | None, Crossover] = {"one_point": OnePoint(ends=True), "uniform": Uniform()}
_SURVIVALS: Mapping[str, Survival] = {"plus": Plus(keeps_parents=True), "comma": Comma()}


def states(
    problem: SetCovering, seed: int, options: CoveringGeneticOptions = OPTIONS, generations: int = GENERATIONS
) -> Iterator[State]:
    """Yield the state of each generation of report B's algorithm, until the weight is N or all generations are done.

    Args:
        problem: The instance.
        seed: The seed of all random numbers, 0 to 2^64 - 1.
        options: The parameters of report B, or changed ones.
        generations: The maximum number of generations after the first population.
    """
    plan = replace(options.plan(), crossover=_CROSSOVERS[options.crossover], survive=_SURVIVALS[options.survival])
    calls = options.population + options.offspring * generations
    fitness = options.fitness(problem, BlackBox(problem, calls))
    for state in islice(evolve(plan, fitness, options.initial(problem), seed=seed), generations + 1):
        yield state
        if problem.value(state.hall[0], 0.0) == problem.size:
            return


def genetic(problem: SetCovering, *, seed: int = 0) -> Iterator[Incumbent]:
    """Solve an instance by the genetic algorithm of report B. The work is the number of fitness evaluations.

    The solver first removes duplicate sets, as in report B.

    Args:
        problem: the instance. In report B the cost of a set is its size.
        seed: the seed of all random numbers, 0 to 2^64 - 1.
    """
    first: dict[tuple[int, ...], int] = {}
    for index, elements in enumerate(problem.sets):
        first.setdefault(elements, index)
    indices = np.array(list(first.values()))
    reduced = SetCovering(problem.size, first, problem.costs[indices].tolist())
    for state in states(reduced, seed):
        genome = np.zeros(problem.loci, np.bool_)
        genome[indices] = state.hall[0]
        value = problem.value(genome, 0.0)
        yield Incumbent(genome if np.isfinite(value) else None, value, state.calls)
