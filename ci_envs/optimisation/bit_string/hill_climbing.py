"""Hill climbing with random restarts, one bit at a time."""

from collections.abc import Iterator

import numpy as np

from ci_envs.optimisation.bit_string.black_box import REPORT_CALLS, BlackBox, Calls, Seed
from ci_envs.optimisation.problem import Problem
from ci_envs.optimisation.solving import Incumbent
from ci_envs.registry.options import validated


@validated
def random_restart_hill_climbing(problem: Problem, *, calls: Calls = 26_000, seed: Seed = 0) -> Iterator[Incumbent]:
    """Hill climbing: flip each bit once per pass, in random order, and keep flips that are not worse.

    The search restarts from a random genome when a whole pass has improved nothing. The work is the number of fitness
    calls.
    """
    box, rng = BlackBox(problem, calls), np.random.default_rng(seed)
    while box.remaining:
        genome = box.random_genome(rng)
        fitness = before = box.fitness_of(genome)
        yield box.incumbent()
        while box.remaining:
            for locus in rng.permutation(box.loci)[: box.remaining]:
                genome[locus] ^= True
                value = box.fitness_of(genome)
                if value >= fitness:
                    fitness = value
                else:
                    genome[locus] ^= True
                if box.work % REPORT_CALLS == 0:
                    yield box.incumbent()
            yield box.incumbent()
            if fitness == before:
                break
            before = fitness
