"""The (1+1)-EA: Droste, Jansen and Wegener, "On the analysis of the (1+1) evolutionary algorithm", TCS 276, 2002.

On a linear function of n bits it needs about e n ln n calls (Witt 2013): 18,800 for 1000 bits.
"""

from collections.abc import Iterator

import numpy as np

from ci_envs.optimisation.bit_string.black_box import REPORT_CALLS, BlackBox, Calls, Seed
from ci_envs.optimisation.evolution.mutation import BitFlip
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Incumbent
from ci_envs.registry.options import validated


@validated
def one_plus_one(problem: Problem, *, calls: Calls = 26_000, seed: Seed = 0) -> Iterator[Incumbent]:
    """(1+1)-EA: flip each bit with probability 1 / loci, and keep a child that is not worse than its parent.

    The work is the number of fitness calls.
    """
    box, rng = BlackBox(problem, calls), np.random.default_rng(seed)
    mutate, zeros = BitFlip(1 / box.loci), np.zeros((REPORT_CALLS, box.loci), dtype=np.bool_)
    genome = box.random_genome(rng)
    fitness = box.fitness_of(genome)
    yield box.incumbent()
    while box.remaining:
        for flips in mutate(zeros, rng, 1.0)[: box.remaining]:
            child = genome ^ flips
            value = box.fitness_of(child)
            if value >= fitness:
                genome, fitness = child, value
        yield box.incumbent()
