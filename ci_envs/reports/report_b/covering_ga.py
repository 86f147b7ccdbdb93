"""The genetic algorithm of report B for set covering, with the operators of its code.

This module uses our evolutionary algorithm with the operators of report B. Selection is by tournaments of two, sampled
with replacement. A child is a parent with one random bit flipped (30%), or a one-point crossover of two parents; the
point can be at an end. The best of parents and offspring survive, and a parent survives before an equal child. All
initial individuals are the empty selection. More covered elements are better; with equal coverage, less weight is
better.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ci_envs.optimisation.evolution.crossover import OnePoint
from ci_envs.optimisation.evolution.engine import Plan, State, evolve
from ci_envs.optimisation.evolution.initial import RandomBits
from ci_envs.optimisation.evolution.mutation import FlipOne
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.optimisation.evolution.selection import TournamentSelection
from ci_envs.optimisation.evolution.survival import Plus
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Incumbent

GENERATIONS = 200

PLAN = Plan(
    population=1500,
    offspring=1000,
    mutate=FlipOne(),
    select=TournamentSelection(2),
    crossover=OnePoint(ends=True),
    crossover_rate=0.7,
    mutates_crossed=False,
    survive=Plus(keeps_parents=True),
)
"""The operators of report B."""


@dataclass(frozen=True)
class Variant:
    """The genetic algorithm of report B, or a variant of it.

    Attributes:
        plan: the operators.
        ones: the probability that a bit of an initial genome is 1. Report B starts with empty selections.
        generations: the maximum number of generations after the first population.
        reward: the fitness for each covered element. The fitness is the sum of these rewards minus the weight, or minus
            twice the weight for an incomplete cover. None compares pairs of coverage and weight, as in report B.
    """

    plan: Plan = PLAN
    ones: float = 0.0
    generations: int = GENERATIONS
    reward: float | None = None

    def states(self, problem: SetCovering, seed: int) -> Iterator[State]:
        """Yield the state of each generation, until the weight is N or all generations are done."""

        def fitness(genomes: Genomes, _: int) -> Values:
            if self.reward is None:
                return problem.fitness(genomes)
            covered, weights = problem.coverage_and_costs(genomes)
            return np.asarray(self.reward * covered - weights * (1 + (covered < problem.size)), np.float64)

        initial = RandomBits(problem.loci, self.ones)
        for state in islice(evolve(self.plan, fitness, initial, seed=seed), self.generations + 1):
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
    for state in Variant().states(reduced, seed):
        genome = np.zeros(problem.loci, np.bool_)
        genome[indices] = state.hall[0]
        value = problem.value(genome, 0.0)
        yield Incumbent(genome if np.isfinite(value) else None, value, state.calls)
