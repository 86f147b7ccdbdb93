"""Selection of survivors, and immigration when the best fitness stagnates.

The operators are our own: pymoo's sort by constraints and several objectives, and DEAP's are loops over lists of
individuals.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ci_envs.games import integer_between
from ci_envs.optimisation.evolution.parameters import Indices, Values, between

Survival = Callable[[Values, Values, int], Indices]
"""``(offspring fitness, parent fitness, count) -> indices``: the survivors, best first, intp (count,).

The indices count the offspring first, then the parents. Raises a ValueError if there are too few.
"""


@dataclass(frozen=True)
class Plus:
    """(mu + lambda) survival: the best of parents and offspring.

    Attributes:
        keeps_parents: whether ties go to the parents. By default they go to the offspring, so the search can drift.
    """

    keeps_parents: bool = False

    def __call__(self, offspring: Values, parents: Values, count: int) -> Indices:
        """Return the indices of the survivors, see :data:`Survival`."""
        if not self.keeps_parents:
            return _best(np.concatenate((offspring, parents)), count)
        best = _best(np.concatenate((parents, offspring)), count)
        return (best + len(offspring)) % (len(parents) + len(offspring))


@dataclass(frozen=True)
class Elitism:
    """Elitism: the best ``elite`` parents survive together with the best offspring."""

    elite: int = 1

    def __post_init__(self) -> None:
        integer_between("elite", self.elite, 0)

    def __call__(self, offspring: Values, parents: Values, count: int) -> Indices:
        """Return the indices of the survivors, see :data:`Survival`."""
        if not self.elite <= count <= self.elite + len(offspring):
            raise ValueError(
                f"an elite of {self.elite} and {len(offspring)} offspring do not make a population of {count}: "
                f"need elite <= population <= elite + offspring"
            )
        chosen = np.concatenate((_best(offspring, count - self.elite), len(offspring) + _best(parents, self.elite)))
        return chosen[_best(np.concatenate((offspring, parents))[chosen], count)]


@dataclass(frozen=True)
class Comma(Elitism):
    """(mu, lambda) survival: the best of the offspring."""

    elite: int = field(default=0, init=False)


@dataclass(frozen=True)
class Immigration:
    """Replacement of the worst genomes by random ones after ``patience`` generations without a new best fitness.

    A ``share`` of the population is replaced, rounded, but never the best genome; share 1 is an extinction. With
    patience 0 it happens in every generation (random immigrants, Grefenstette 1992).
    """

    patience: int
    share: float

    def __post_init__(self) -> None:
        integer_between("patience", self.patience, 0)
        between("share", self.share, 0, 1)

    def arrivals(self, population: int) -> int:
        """Return how many genomes of a population of this size are replaced."""
        return min(round(self.share * population), population - 1)


def _best(fitness: Values, count: int) -> Indices:
    return np.argsort(-fitness, kind="stable")[:count]
