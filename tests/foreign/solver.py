"""A solver of a user. The tests name it by this file."""

import numpy as np

from ci_envs.optimisation import Incumbent


def everything(problem, *, seed, work=1):
    genome = np.ones(problem.loci, bool)
    [fitness] = problem.fitness(genome[np.newaxis])
    yield Incumbent(genome, problem.value(genome, fitness), work)
