"""An optimisation problem of a user. The tests name it by this file."""

import numpy as np

from ci_envs.optimisation.problem import Problem


class Knapsack(Problem):
    """Choose items of limited total weight."""

    measure, is_cost = "fitness", False

    def __init__(self, items: int = 20, seed: int = 0):
        super().__init__(items)
        rng = np.random.default_rng(seed)
        self.weights, self.values = rng.integers(1, 9, items), rng.integers(1, 9, items)

    def _fitness(self, genomes):
        fits = genomes @ self.weights <= self.weights.sum() / 2
        return np.where(fits, genomes @ self.values, 0).astype(float)

    def value(self, genome, fitness):
        return fitness
