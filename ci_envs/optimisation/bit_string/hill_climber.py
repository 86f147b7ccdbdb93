"""Next ascent with random restarts, bit by bit."""

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from ci_envs.optimisation.bit_string.box import EVERY, Box
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Found
from ci_envs.validation import integer_between


def hill_climber(problem: Problem, *, calls: int = 26_000, seed: int = 0) -> Iterator[Found]:
    """Flip each bit once a sweep, in random order, and keep what is not worse.

    When a whole sweep has made nothing better, it starts again from a random genome.

    Args:
        problem: what is to be solved.
        calls: that it makes.
        seed: of all random numbers, 0 or more.

    Raises:
        ValueError: a value is out of range.
    """
    box, rng = Box(problem, calls), np.random.default_rng(integer_between("seed", seed, 0))
    return _climb(box, rng)


def _climb(box: Box, rng: Generator) -> Iterator[Found]:
    while box.left:
        genome = box.random(rng)
        fitness = before = box.fitness_of(genome)
        yield box.found()
        while box.left:
            for locus in rng.permutation(box.loci)[: box.left]:
                genome[locus] ^= True
                value = box.fitness_of(genome)
                if value >= fitness:
                    fitness = value
                else:
                    genome[locus] ^= True
                if box.work % EVERY == 0:
                    yield box.found()
            yield box.found()
            if fitness == before:
                break
            before = fitness
