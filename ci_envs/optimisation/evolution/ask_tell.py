"""Evolutions of optimisers with an ask-and-tell interface: ``ask`` returns genomes, and ``tell`` passes their fitness.

The genomes of such an optimiser depend only on its seed and on the reported fitness values. Therefore the fitness
values of all generations are the complete state: a new optimiser that gets the same values continues the run, and no
genome is evaluated twice.
"""

from typing import Protocol

import numpy as np
from typing_extensions import override

from ci_envs.optimisation.evolution.engine import Fitness, evaluate_genomes
from ci_envs.optimisation.evolution.evolution import Evolution
from ci_envs.optimisation.evolution.parameters import Genomes, Values
from ci_envs.optimisation.evolution.statistics import Statistics, diversity
from ci_envs.training.trainer import TrainerState


class Optimiser(Protocol):
    """An optimiser whose only source of randomness is its seed."""

    def ask(self) -> Genomes:
        """Return the genomes of the next generation, finite numbers of shape (n, genes)."""

    def tell(self, fitness: Values) -> None:
        """Set the fitness of these genomes, float64 of shape (n,); higher is better."""


class OptimiserEvolution(Evolution):
    """The generations of an optimiser."""

    def __init__(self, optimiser: Optimiser, fitness: Fitness, seed: int) -> None:
        """Prepare an evolution, without evaluating genomes.

        Args:
            optimiser: a new optimiser, made from ``seed``.
            fitness: evaluates genomes. Its seed in generation g is the first word of ``(seed, g)``.
            seed: the seed of the optimiser and of the fitness, 0 to 2^64 - 1.

        Raises:
            ValueError: the seed is out of range.
        """
        super().__init__(seed)
        self._optimiser, self._fitness = optimiser, fitness
        self._told: list[Values] = []

    @override
    def advance(self) -> None:
        genomes, generation = self._ask(), len(self._told)
        word = np.random.default_rng([self.seed, generation]).integers(2**64, dtype=np.uint64)
        values = evaluate_genomes(self._fitness, genomes, int(word))
        self._told.append(values)
        self._tell(genomes, values)

    @override
    def state(self) -> TrainerState | None:
        if not self._told:
            return None
        sizes = np.array([len(values) for values in self._told], dtype=np.int64)
        arrays = {"sizes": sizes, "told": np.concatenate(self._told), "latest": self._latest}
        return TrainerState({"seed": self.seed}, arrays)

    @override
    def restore(self, state: TrainerState) -> None:
        sizes, values = state.arrays["sizes"], state.arrays["told"]
        if values.dtype != np.float64 or values.shape != (sizes.sum(),) or not np.isfinite(values).all():
            raise ValueError(f"the fitness values have the dtype {values.dtype} and the shape {values.shape}")
        self._told = np.split(values, np.cumsum(sizes)[:-1])
        for told in self._told:
            genomes = self._ask()
            if len(genomes) != len(told):
                raise ValueError(f"there are {len(told)} fitness values for {len(genomes)} genomes")
            self._tell(genomes, told)
        latest = state.arrays.get("latest")  # earlier versions did not write it
        if latest is not None and not _are_close(latest, self._latest):
            raise ValueError("the optimiser has other arguments, because its genomes differ")

    def _ask(self) -> Genomes:
        genomes = np.asarray(self._optimiser.ask())
        if genomes.ndim != 2 or not genomes.size or genomes.dtype.kind not in "biuf" or not np.isfinite(genomes).all():
            raise ValueError(f"ask must return genomes of finite numbers, (n, genes), not {genomes!r}")
        return genomes

    def _tell(self, genomes: Genomes, values: Values) -> None:
        """Report the fitness of its genomes to the optimiser, and add the generation to the history."""
        self._optimiser.tell(values)
        self._latest = genomes.copy()
        calls = len(genomes) + (self.history[-1].calls if self.history else 0)
        best, mean = float(values.max()), float(values.mean())
        self.history = (*self.history, Statistics(len(self.history), calls, best, mean, diversity(genomes), 1.0))


def _are_close(ones: Genomes, others: Genomes) -> bool:
    """Return whether genomes are equal, up to the rounding of another processor."""
    return ones.shape == others.shape and bool(np.allclose(ones, others))
