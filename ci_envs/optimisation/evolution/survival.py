"""Who lives on into the next generation, and what happens when nothing gets better.

Our own: pymoo's survival sorts by constraints and several objectives, and DEAP's are loops over lists of individuals.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ci_envs.games import integer_between
from ci_envs.optimisation.evolution.parameters import Indices, Values, between

Survival = Callable[[Values, Values, int], Indices]
"""``(fitness of the offspring, of the parents, count) -> indices``: the survivors among offspring, then parents.

They come best first. Raises a ValueError if there are too few.
"""


@dataclass(frozen=True)
class Plus:
    """(mu + lambda): the best of parents and offspring. Of equals the offspring, so that search can drift."""

    def __call__(self, offspring: Values, parents: Values, count: int) -> Indices:
        """As :data:`Survival` says."""
        return _best(np.concatenate((offspring, parents)), count)


@dataclass(frozen=True)
class Elitism:
    """The best ``elite`` of the parents, and beside them the best of the offspring."""

    elite: int = 1

    def __post_init__(self) -> None:
        integer_between("elite", self.elite, 0)

    def __call__(self, offspring: Values, parents: Values, count: int) -> Indices:
        """As :data:`Survival` says."""
        if not self.elite <= count <= self.elite + len(offspring):
            raise ValueError(
                f"an elite of {self.elite} and {len(offspring)} offspring do not make a population of {count}: "
                f"need elite <= population <= elite + offspring"
            )
        chosen = np.concatenate((_best(offspring, count - self.elite), len(offspring) + _best(parents, self.elite)))
        return chosen[_best(np.concatenate((offspring, parents))[chosen], count)]


@dataclass(frozen=True)
class Comma(Elitism):
    """(mu, lambda): the best of the offspring alone."""

    elite: int = field(default=0, init=False)


@dataclass(frozen=True)
class Immigration:
    """Replaces the worst by new random genomes after ``patience`` generations without a new best fitness.

    A ``share`` of the population is replaced (rounded), never the best of all: with 1 it is an extinction. With a
    patience of 0 it happens in every generation (random immigrants, Grefenstette 1992).
    """

    patience: int
    share: float

    def __post_init__(self) -> None:
        integer_between("patience", self.patience, 0)
        between("share", self.share, 0, 1)

    def arrivals(self, population: int) -> int:
        """How many are replaced in such a population."""
        return min(round(self.share * population), population - 1)


def _best(fitness: Values, count: int) -> Indices:
    return np.argsort(-fitness, kind="stable")[:count]
