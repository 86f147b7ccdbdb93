"""Set covering: choose lists of numbers so that every number is in one of them, at the least cost.

The instances of the course on computational intelligence at the Politecnico di Torino, 2022, lab 1, are made by
:func:`lab_lists`; there the cost of a list is its length, and the cost of a covering its weight.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ci_envs.optimisation.problem import Genome, Problem
from ci_envs.validation import integer_between, positive_number


class SetCovering(Problem):
    """An instance: lists of numbers from 0 to ``size - 1``. A genome says of each list whether it is taken.

    Attributes:
        size: numbers that are to be covered.
        lists: the lists, each ascending and without repetition.
        costs: of the lists, float64 (lists,).
    """

    measure: ClassVar[str] = "cost"
    is_cost: ClassVar[bool] = True

    def __init__(self, size: int, lists: Iterable[Iterable[int]], costs: Sequence[float] | None = None) -> None:
        """Make an instance.

        Args:
            size: numbers that are to be covered, 1 or more.
            lists: of numbers from 0 to ``size - 1``; one that stands in a list twice counts once.
            costs: of the lists, above 0; None means their lengths.

        Raises:
            ValueError: the size is not positive, there are no lists, one is empty or has another number, the costs are
                not as many as the lists or not above 0, or all lists together do not cover everything.
        """
        self.size = integer_between("size", size, 1)
        self.lists = tuple(_checked(number, one, self.size) for number, one in enumerate(lists))
        if not self.lists:
            raise ValueError("a set covering problem needs lists: there are none")
        if missing := set(range(self.size)).difference(*self.lists):
            raise ValueError(f"no list has {min(missing)}: {len(missing)} of {self.size} numbers cannot be covered")
        given = [len(one) for one in self.lists] if costs is None else list(costs)
        if len(given) != len(self.lists):
            raise ValueError(f"there are {len(self.lists)} lists, but {len(given)} costs")
        self.costs = np.array([positive_number(f"the cost of list {i}", cost) for i, cost in enumerate(given)])
        super().__init__(len(self.lists))

    def __repr__(self) -> str:
        return f"<SetCovering of {self.size} numbers by {len(self.lists)} lists>"

    @cached_property
    def incidence(self) -> NDArray[np.bool_]:
        """Whether a number is in a list, bool (lists, size)."""
        table = np.zeros((len(self.lists), self.size), dtype=np.bool_)
        for row, one in zip(table, self.lists, strict=True):
            row[list(one)] = True
        return table

    @cached_property
    def words(self) -> NDArray[np.uint64]:
        """The lists as bits, uint64 (lists, ceil(size / 64)): number k is bit ``k % 64`` of word ``k // 64``."""
        padded = np.zeros((len(self.lists), -(-self.size // 64) * 64), dtype=np.bool_)
        padded[:, : self.size] = self.incidence
        return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)

    def cost(self, genome: Genome) -> float:
        """The sum of the costs of the lists taken."""
        return float(self.costs[genome].sum())

    def covered(self, genome: Genome) -> int:
        """How many numbers the lists taken cover."""
        return int(self.incidence[genome].any(axis=0).sum())

    def value(self, genome: Genome, fitness: float) -> float:
        """The cost of a covering; infinite if it does not cover everything."""
        return self.cost(genome) if self.covered(genome) == self.size else float("inf")

    @cached_property
    def _worth(self) -> float:
        """What a covered number adds to the fitness: more than all lists cost."""
        return float(np.floor(self.costs.sum()) + 1)

    def _fitness(self, genomes: NDArray[np.bool_]) -> NDArray[np.float64]:
        covered = (genomes.astype(np.float32) @ self._incidence_in_floats > 0).sum(axis=1)
        result: NDArray[np.float64] = covered * self._worth - genomes @ self.costs
        return result

    @cached_property
    def _incidence_in_floats(self) -> NDArray[np.float32]:
        return self.incidence.astype(np.float32)


def _checked(number: int, one: Iterable[int], size: int) -> tuple[int, ...]:
    numbers = tuple(sorted({integer_between(f"a number of list {number}", each, 0, size - 1) for each in one}))
    if not numbers:
        raise ValueError(f"list {number} is empty: a list has at least one number")
    return numbers
