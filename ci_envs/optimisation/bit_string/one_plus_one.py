"""The (1+1)-EA: Droste, Jansen and Wegener, "On the analysis of the (1+1) evolutionary algorithm", TCS 276, 2002.

On a linear function of n bits it takes about e n ln n calls (Witt 2013): 18,800 for 1000 bits.
"""

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from ci_envs.optimisation.bit_string.box import EVERY, Box
from ci_envs.optimisation.evolution.mutation import BitFlip
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Found
from ci_envs.validation import integer_between


def one_plus_one(problem: Problem, *, calls: int = 26_000, seed: int = 0) -> Iterator[Found]:
    """Flip each bit with probability 1 / loci, and keep what is not worse, from a random genome on.

    Args:
        problem: what is to be solved.
        calls: that it makes.
        seed: of all random numbers, 0 or more.

    Raises:
        ValueError: a value is out of range.
    """
    box, rng = Box(problem, calls), np.random.default_rng(integer_between("seed", seed, 0))
    return _evolve(box, rng)


def _evolve(box: Box, rng: Generator) -> Iterator[Found]:
    flip, nothing = BitFlip(1 / box.loci), np.zeros((EVERY, box.loci), dtype=np.bool_)
    genome = box.random(rng)
    fitness = box.fitness_of(genome)
    yield box.found()
    while box.left:
        for flips in flip(nothing, rng, 1.0)[: box.left]:
            child = genome ^ flips
            value = box.fitness_of(child)
            if value >= fitness:
                genome, fitness = child, value
        yield box.found()
