"""A problem as a black box: it returns the fitness of genomes, for a limited number of calls."""

from typing import Annotated

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.optimisation.problem import Genome, Problem
from ci_envs.optimisation.solving import Incumbent
from ci_envs.registry.options import Option
from ci_envs.validation import integer_between

Calls = Annotated[
    int, Option("maximum number of fitness calls; the search ends when too few are left for its next step", ge=1)
]
"""The option of all black-box solvers for the length of the search."""

Seed = Annotated[int, Option("seed of all random numbers", ge=0)]
"""The argument of all black-box solvers for their seed."""

REPORT_CALLS = 250  # calls between two reports of a solver that evaluates one genome at a time


class BlackBox:
    """The fitness of a problem for one run of a solver: counts the calls and keeps the best genome.

    Attributes:
        loci: the number of bits of a genome.
        remaining: the number of calls left; the solver checks it before it evaluates genomes.
    """

    def __init__(self, problem: Problem, calls: int) -> None:
        """Wrap a problem.

        Args:
            problem: the problem to solve.
            calls: the maximum number of calls of the run, 1 or more.

        Raises:
            ValueError: ``calls`` is out of range.
        """
        self.loci = problem.loci
        self.remaining = self._calls = integer_between("calls", calls, 1)
        self._problem = problem
        self._best: Genome = np.zeros(problem.loci, dtype=np.bool_)
        self._fitness = -np.inf

    @property
    def work(self) -> int:
        """The number of calls made so far."""
        return self._calls - self.remaining

    def random_genome(self, rng: Generator) -> Genome:
        """Return a uniformly random genome, bool (loci,)."""
        genome: Genome = rng.random(self.loci) < 0.5
        return genome

    def fitness(self, genomes: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the fitness of n genomes, float64 (n,); this counts as n calls.

        Args:
            genomes: bool (n, loci), n 1 or more.
        """
        values = self._problem.fitness(genomes)
        self.remaining -= len(genomes)
        best = int(values.argmax())
        if values[best] > self._fitness:
            self._best, self._fitness = genomes[best].copy(), float(values[best])
        return values

    def fitness_of(self, genome: Genome) -> float:
        """Return the fitness of one genome."""
        return float(self.fitness(genome[np.newaxis])[0])

    def incumbent(self) -> Incumbent:
        """Return the best solution so far; at least one call must have been made."""
        value = self._problem.value(self._best, self._fitness)
        return Incumbent(self._best if np.isfinite(value) else None, value, self.work)
