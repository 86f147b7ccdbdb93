"""The set covering problem: choose sets, at the least total cost, so that their union contains every element.

In terms of the 0-1 matrix of the problem, the elements are its rows and the sets are its columns. The instances of the
course on computational intelligence at the Politecnico di Torino, 2022, lab 1, are made by
:func:`~ci_envs.optimisation.set_covering.instances.lab_sets`. There the cost of a set is its size, and the cost of a
cover is called its weight.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cached_property
from itertools import count
from math import floor, isclose, isinf, ldexp, log2
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.optimisation.problem import Genome, Problem
from ci_envs.optimisation.set_covering.bitmask import measure_selections
from ci_envs.validation import integer_between, positive_number


class SetCovering(Problem):
    """A set covering instance. A genome has one bit per set: whether the set is selected.

    Attributes:
        size: the number of elements; the elements are the numbers from 0 to ``size - 1``.
        sets: the sets, each as an ascending tuple of elements.
        costs: the cost of each set, float64 (sets,).

    Examples:
        >>> from ci_envs.optimisation import SetCovering, optimise
        >>> problem = SetCovering(3, [[0, 1], [1, 2], [2]], [2, 2, 1])
        >>> optimise(problem, "branch_and_bound").value
        3.0
    """

    measure: ClassVar[str] = "cost"
    is_cost: ClassVar[bool] = True

    def __init__(self, size: int, sets: Iterable[Iterable[int]], costs: Sequence[float] | None = None) -> None:
        """Make an instance.

        Args:
            size: the number of elements, 1 or more.
            sets: the elements of each set, from 0 to ``size - 1``; repeated elements count once.
            costs: the cost of each set, above 0; None means the number of its elements.

        Raises:
            TypeError: the sets are not iterable, or the costs have no order.
            ValueError: the size is not positive, there are no sets, a set is empty or has an element out of range, the
                number of costs is not the number of sets, a cost is not above 0, the costs are too large, or some
                element is in no set.
        """
        self.size = integer_between("size", size, 1)
        self.sets = tuple(_checked_set(index, given, self.size) for index, given in enumerate(listed_sets(sets)))
        if not self.sets:
            raise ValueError("a set covering problem needs at least one set, but sets is empty: there are none")
        present = set().union(*self.sets)
        if len(present) < self.size:
            missing = next(element for element in count() if element not in present)
            left = self.size - len(present)
            raise ValueError(f"no set has element {missing}: {left} of {self.size} elements cannot be covered")
        if costs is not None and (isinstance(costs, Mapping | Set) or not isinstance(costs, Iterable)):
            raise TypeError(f"costs must be a sequence with the cost of each set in order, not {costs!r}")
        given = [len(elements) for elements in self.sets] if costs is None else list(costs)
        if len(given) != len(self.sets):
            raise ValueError(f"there are {len(self.sets)} sets, but {len(given)} costs: give one cost per set")
        self.costs = np.array([positive_number(f"the cost of set {i}", cost) for i, cost in enumerate(given)])
        if isinf(2 * self.size * sum(self.costs.tolist())):  # the fitness is below this
            raise ValueError("the sum of the costs is too large for a float64: divide them by a number")
        super().__init__(len(self.sets))

    def __repr__(self) -> str:
        return f"<SetCovering of {self.size} elements by {len(self.sets)} sets>"

    @cached_property
    def incidence(self) -> NDArray[np.bool_]:
        """Whether a set has an element, bool (sets, size)."""
        table = np.zeros((len(self.sets), self.size), dtype=np.bool_)
        for row, elements in zip(table, self.sets, strict=True):
            row[list(elements)] = True
        return table

    @cached_property
    def words(self) -> NDArray[np.uint64]:
        """The sets as bitmasks, uint64 (sets, ceil(size / 64)): element k is bit ``k % 64`` of word ``k // 64``."""
        padded = np.zeros((len(self.sets), -(-self.size // 64) * 64), dtype=np.bool_)
        padded[:, : self.size] = self.incidence
        return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)

    def cost(self, genome: Genome) -> float:
        """Return the sum of the costs of the selected sets.

        Args:
            genome: bool, or integers that are 0 or 1, of shape (loci,).

        Raises:
            ValueError: the genome has another shape or other values.
        """
        return float(self.costs[self._selected(genome)].sum())

    def covered(self, genome: Genome) -> int:
        """Return how many elements the selected sets cover. The argument and the errors are those of :meth:`cost`."""
        return int(self.incidence[self._selected(genome)].any(axis=0).sum())

    def _selected(self, genome: Genome) -> Genome:
        selected: Genome = self.checked(np.asarray(genome)[np.newaxis])[0]
        return selected

    def coverage_and_costs(self, genomes: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return how many elements the sets of each genome cover, and what they cost together.

        Args:
            genomes: bool (n, loci).

        Returns:
            int64 (n,) and float64 (n,).
        """
        covered, totals = np.zeros(len(genomes), np.int64), np.zeros(len(genomes))
        union = np.zeros_like(self.words[0])
        measure_selections(self.words, self.costs, np.ascontiguousarray(genomes), union, covered, totals)
        return covered, totals

    @cached_property
    def weight_bound(self) -> float:
        """A lower bound on the cost of a cover: each element costs at least the least cost per element of its sets."""
        shares = self.costs / self.incidence.sum(axis=1)
        least: NDArray[np.float64] = np.where(self.incidence, shares[:, np.newaxis], np.inf).min(axis=0)
        return float(least.sum())

    @override
    def value(self, genome: Genome, fitness: float) -> float:
        return self.cost(genome) if self.covered(genome) == self.size else float("inf")

    @override
    def check_solution(self, genome: Genome, value: float) -> None:
        super().check_solution(genome, value)
        right = self.value(genome, 0)
        if not isclose(value, right, rel_tol=1e-9):
            covers = f"it covers {self.covered(genome)} of {self.size} elements"
            why = covers if isinf(right) else f"its sets cost {right:g}"
            raise ValueError(f"a solution of the cost {value:g} was given, but {why}")

    @cached_property
    def has_whole_costs(self) -> bool:
        """Whether the cost of every selection is a whole number that a float64 has exactly."""
        return bool((self.costs % 1 == 0).all() and self.costs.sum() < 2**53)

    @cached_property
    def cost_unit(self) -> float:
        """A power of two of the size of the costs; 1 if all costs are whole."""
        return 1.0 if self.has_whole_costs else ldexp(1.0, floor(log2(np.median(self.costs))))

    @cached_property
    def _element_fitness(self) -> float:
        """The fitness of one covered element: more than the cost of all sets together."""
        return float(self.cost_unit * (np.floor(self.costs.sum() / self.cost_unit) + 1))

    @override
    def _fitness(self, genomes: NDArray[np.bool_]) -> NDArray[np.float64]:
        covered, costs = self.coverage_and_costs(genomes)
        return covered * self._element_fitness - costs


def listed_sets(sets: Iterable[Iterable[int]]) -> list[list[int]]:
    """Return the elements of each set as lists.

    Raises:
        TypeError: ``sets`` is something else.
    """
    listed = list(sets) if isinstance(sets, Iterable) else [sets]
    if any(not isinstance(elements, Iterable) for elements in listed):
        raise TypeError(f"sets must be sets of elements such as [[0, 1], [1, 2]], not {sets!r}")
    return [list(elements) for elements in listed]


def _checked_set(index: int, given: list[int], size: int) -> tuple[int, ...]:
    if not given:
        raise ValueError(f"set {index} is empty: a set has at least one element")
    if not all(type(element) is int and 0 <= element < size for element in given):  # integer_between takes far longer
        given = [integer_between(f"an element of set {index}", element, 0, size - 1) for element in given]
    return tuple(sorted(set(given)))
