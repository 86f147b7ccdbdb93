"""A problem as its solvers see it: a box that tells the fitness of a genome for a call, of which there are so many."""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.optimisation.problem import Genome, Problem
from ci_envs.optimisation.solving import Found
from ci_envs.validation import integer_between

EVERY = 250  # calls, after which a solver that makes them one by one tells what it has found


class Box:
    """Counts the calls of one run, and keeps the best genome they showed.

    Attributes:
        loci: bits of a genome.
        left: calls that may still be made; a solver asks before it makes them.
    """

    def __init__(self, problem: Problem, calls: int) -> None:
        """Close a problem in.

        Args:
            problem: what is to be solved.
            calls: that the run may make, 1 or more.

        Raises:
            ValueError: ``calls`` is out of range.
        """
        self.loci = problem.loci
        self.left = self._calls = integer_between("calls", calls, 1)
        self._problem = problem
        self._best: Genome = np.zeros(problem.loci, dtype=np.bool_)
        self._fitness = -np.inf

    @property
    def work(self) -> int:
        """Calls made so far."""
        return self._calls - self.left

    def random(self, rng: Generator) -> Genome:
        """A genome in which every bit is as likely to be 0 as 1."""
        genome: Genome = rng.random(self.loci) < 0.5
        return genome

    def fitness(self, genomes: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The fitness of one genome or more, as :meth:`~ci_envs.optimisation.problem.Problem.fitness` tells it."""
        values = self._problem.fitness(genomes)
        self.left -= len(genomes)
        best = int(values.argmax())
        if values[best] > self._fitness:
            self._best, self._fitness = genomes[best].copy(), float(values[best])
        return values

    def fitness_of(self, genome: Genome) -> float:
        """The fitness of a single genome."""
        return float(self.fitness(genome[np.newaxis])[0])

    def found(self) -> Found:
        """The best so far, at least one call having been made."""
        value = self._problem.value(self._best, self._fitness)
        return Found(self._best if np.isfinite(value) else None, value, self.work)
