"""Random genomes, for the initial population and for immigrants."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ci_envs.games import integer_between
from ci_envs.optimisation.evolution.parameters import Genomes, PerGene, Values, between, fits_genes, ordered

Initial = Callable[[int, Generator], Genomes]
"""``(count, rng) -> genomes``: new genomes, (count, genes)."""


@dataclass(frozen=True)
class RandomBits:
    """Genomes of bool; each gene is true with probability ``ones``."""

    genes: int
    ones: PerGene = 0.5

    def __post_init__(self) -> None:
        integer_between("genes", self.genes, 1)
        between("ones", self.ones, 0, 1, per_gene=True)
        fits_genes(self, self.genes)

    def __call__(self, count: int, rng: Generator) -> NDArray[np.bool_]:
        """Return ``count`` new genomes, (count, genes)."""
        return rng.random((count, self.genes)) < self.ones


@dataclass(frozen=True)
class RandomNumbers:
    """Genomes of float64, uniform from ``low`` to ``high``."""

    genes: int
    low: PerGene
    high: PerGene

    def __post_init__(self) -> None:
        integer_between("genes", self.genes, 1)
        ordered(self.low, self.high, finite=True)
        fits_genes(self, self.genes)

    def __call__(self, count: int, rng: Generator) -> Values:
        """Return ``count`` new genomes, (count, genes)."""
        return rng.uniform(self.low, self.high, (count, self.genes))


@dataclass(frozen=True)
class RandomIntegers:
    """Genomes of int64, uniform from ``low`` to ``high`` inclusive."""

    genes: int
    low: int | NDArray[np.int64]
    high: int | NDArray[np.int64]

    def __post_init__(self) -> None:
        integer_between("genes", self.genes, 1)
        ordered(self.low, self.high, finite=True, whole=True)
        fits_genes(self, self.genes)

    def __call__(self, count: int, rng: Generator) -> NDArray[np.int64]:
        """Return ``count`` new genomes, (count, genes)."""
        return rng.integers(self.low, self.high, (count, self.genes), endpoint=True)


@dataclass(frozen=True)
class RandomOrders:
    """Genomes of int64 that are permutations of 0 to ``genes - 1``."""

    genes: int

    def __post_init__(self) -> None:
        integer_between("genes", self.genes, 1)

    def __call__(self, count: int, rng: Generator) -> NDArray[np.int64]:
        """Return ``count`` new genomes, (count, genes)."""
        return rng.permuted(np.tile(np.arange(self.genes), (count, 1)), axis=1)
