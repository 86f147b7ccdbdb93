"""A problem of optimisation over bit strings."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Genome = NDArray[np.bool_]
Genomes = NDArray[np.bool_] | NDArray[np.integer[Any]]


class Problem(ABC):
    """What is to be optimised: a choice of bits, each of which can be 0 or 1.

    Attributes:
        loci: how many bits there are.
        calls: genomes whose fitness was asked for so far.
        measure: what :meth:`value` is, in a word: cost or fitness.
        is_cost: whether less of it is better.
    """

    measure: ClassVar[str]
    is_cost: ClassVar[bool]

    def __init__(self, loci: int) -> None:
        self.loci = loci
        self.calls = 0

    def fitness(self, genomes: Genomes) -> NDArray[np.float64]:
        """The fitness of n genomes, which counts as n calls; more is better.

        Args:
            genomes: bool, or integers that are 0 or 1, of shape (n, loci).

        Returns:
            float64 of shape (n,).

        Raises:
            ValueError: the genomes are of another shape, or have other values.
        """
        bits = self.checked(genomes)
        self.calls += len(bits)
        return self._fitness(bits)

    def checked(self, genomes: Genomes) -> NDArray[np.bool_]:
        """Genomes as bool of shape (n, loci).

        Raises:
            ValueError: they are of another shape, or have other values.
        """
        bits = np.asarray(genomes)
        if bits.ndim != 2 or bits.shape[1] != self.loci:
            raise ValueError(f"genomes are an array of the shape (n, {self.loci}), not {bits.shape}")
        if bits.dtype.kind not in "biu" or not np.isin(bits, (0, 1)).all():
            raise ValueError(f"genomes are bool, or integers that are 0 or 1, not {bits.dtype} such as {bits.flat[0]}")
        return bits.astype(np.bool_)

    @abstractmethod
    def _fitness(self, genomes: NDArray[np.bool_]) -> NDArray[np.float64]:
        """As :meth:`fitness`, of bool, not counted."""

    @abstractmethod
    def value(self, genome: Genome, fitness: float) -> float:
        """What a genome of this fitness is worth in terms of :attr:`measure`; infinite if it is no solution."""
