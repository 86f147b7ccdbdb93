"""The base class of optimisation problems over bit strings."""

from abc import ABC, abstractmethod
from math import isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ci_envs.validation import integer_between

Genome = NDArray[np.bool_]
Genomes = NDArray[np.bool_] | NDArray[np.integer[Any]]


class Problem(ABC):
    """An optimisation problem. A genome is a bit string, bool (loci,).

    Attributes:
        loci: the number of bits of a genome.
        calls: the number of genomes evaluated so far.
        measure: the name of :meth:`value`: ``cost`` or ``fitness``.
        is_cost: whether a lower value is better.

    Examples:
        >>> from ci_envs.optimisation import set_covering
        >>> problem = set_covering(20)
        >>> problem.measure, problem.is_cost
        ('cost', True)
    """

    measure: ClassVar[str]
    is_cost: ClassVar[bool]

    def __init__(self, loci: int) -> None:
        """Set the number of bits of a genome.

        Raises:
            TypeError: the class does not set ``measure`` and ``is_cost``.
            ValueError: ``loci`` is not an integer of 1 or more.
        """
        for name, kind, example in (("measure", str, '"fitness"'), ("is_cost", bool, "False")):
            if not isinstance(getattr(self, name, None), kind):
                raise TypeError(f"{type(self).__name__} needs the class attribute {name}, for example {example}")
        self.loci = integer_between("loci", loci, 1)
        self.calls = 0

    def fitness(self, genomes: Genomes) -> NDArray[np.float64]:
        """Return the fitness of n genomes; this counts as n calls. Higher is better.

        Args:
            genomes: bool, or integers that are 0 or 1, of shape (n, loci).

        Returns:
            float64 of shape (n,).

        Raises:
            ValueError: the genomes have another shape or other values, or ``_fitness`` returns anything else.
        """
        bits = self.checked(genomes)
        self.calls += len(bits)
        found = np.asarray(self._fitness(bits))
        if found.shape != (len(bits),) or found.dtype.kind not in "biuf" or not np.isfinite(found).all():
            raise ValueError(
                f"{type(self).__name__}._fitness must return finite numbers of the shape ({len(bits)},), one for each "
                f"genome, not {found.dtype} {found.shape} such as {found.flat[0] if found.size else '(nothing)'}"
            )
        return found.astype(np.float64, copy=False)

    def check_solution(self, genome: Genome, value: float) -> None:
        """Check a solution of a solver, as far as this is possible without counting a call.

        Args:
            genome: the genome.
            value: its value.

        Raises:
            ValueError: the genome has another shape or other values, or not this value.
        """
        self.checked(np.asarray(genome)[np.newaxis])
        if not isfinite(value):
            raise ValueError(f"the {self.measure} of a solution must be finite, not {value}")

    def checked(self, genomes: Genomes) -> NDArray[np.bool_]:
        """Return genomes as bool of shape (n, loci).

        Raises:
            ValueError: the genomes have another shape or other values.
        """
        bits = np.asarray(genomes)
        if bits.ndim != 2 or bits.shape[1] != self.loci:
            raise ValueError(f"genomes are an array of the shape (n, {self.loci}), not {bits.shape}")
        if bits.dtype.kind not in "biu" or (bits.dtype.kind != "b" and not np.isin(bits, (0, 1)).all()):
            wrong = bits[~np.isin(bits, (0, 1))] if bits.dtype.kind in "iu" else bits.ravel()
            example = f" such as {wrong[0]}" if wrong.size else ""
            raise ValueError(f"genomes are bool, or integers that are 0 or 1, not {bits.dtype}{example}")
        return bits.astype(np.bool_, copy=False)

    @abstractmethod
    def _fitness(self, genomes: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the fitness of bool genomes (n, loci) as float64 (n,), without counting calls."""

    @abstractmethod
    def value(self, genome: Genome, fitness: float) -> float:
        """Return the value of a genome with this fitness, see :attr:`measure`; infinite if it is not a solution."""
