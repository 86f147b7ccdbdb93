"""Best-first search for a minimum-cost cover: A*, Dijkstra's algorithm, and A* with an inadmissible heuristic.

A state is the set of covered elements, as an int with one bit per element. Its successors select a set that has one
certain uncovered element: the one that is in the fewest sets. Every cover has some set with this element, so the
search misses no cover.
"""

import heapq
from collections.abc import Callable, Iterator
from math import ceil
from time import monotonic
from typing import Annotated

import numpy as np

from ci_envs.optimisation.problem import Genome
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Incumbent
from ci_envs.registry.options import Option, validated

Heuristic = Callable[["BitmaskInstance", int, float], float]
"""``(instance, uncovered, cost so far) -> float``: the estimated cost of covering the uncovered elements."""

_REPORT_SECONDS = 0.1
_ROUNDING = 1e-12  # more than the relative rounding error of a bound


class BitmaskInstance:
    """An instance with its sets as ints that have one bit per element.

    Attributes:
        masks: the sets.
        costs: the cost of each set.
        element_sets: for each element, the indices of the sets that have it.
        least_cost_per_element: the least ratio of the cost of a set to its size.
        has_whole_costs: see :class:`SetCovering`.
    """

    def __init__(self, problem: SetCovering) -> None:
        self.masks = [sum(1 << element for element in elements) for elements in problem.sets]
        self.costs: list[float] = problem.costs.tolist()
        self.element_sets = [np.flatnonzero(column).tolist() for column in problem.incidence.T]
        self.least_cost_per_element = float((problem.costs / problem.incidence.sum(axis=1)).min())
        self.has_whole_costs = problem.has_whole_costs
        self._rarest_first = sorted(range(problem.size), key=lambda element: len(self.element_sets[element]))

    def successors(self, uncovered: int) -> list[int]:
        """Return the indices of the sets that have the uncovered element which is in the fewest sets."""
        element = next(element for element in self._rarest_first if uncovered >> element & 1)
        return self.element_sets[element]


def zero(instance: BitmaskInstance, uncovered: int, cost: float) -> float:
    """Return 0, the heuristic of Dijkstra's algorithm."""
    return 0.0


def dual(instance: BitmaskInstance, uncovered: int, cost: float) -> float:
    """Return a lower bound on the cost of covering the uncovered elements: an admissible heuristic.

    Divide the cost of each set equally among its uncovered elements; the dual variable of an element is the least
    share that it gets. For each set the dual variables of its elements add up to at most its cost. So they are a
    feasible solution of the dual of the LP relaxation, and their sum is a lower bound.
    """
    shares = [
        (cost_of_set / new, mask)
        for mask, cost_of_set in zip(instance.masks, instance.costs, strict=True)
        if (new := (mask & uncovered).bit_count())
    ]
    shares.sort()
    total = 0.0
    for share, mask in shares:
        total += share * (mask & uncovered).bit_count()
        uncovered &= ~mask
        if not uncovered:
            break
    return total


def largest(instance: BitmaskInstance, uncovered: int, cost: float) -> float:
    """Return the number of uncovered elements times the least cost per element of any set: an admissible heuristic.

    If all costs are whole numbers the bound is rounded up. With unit costs it is the number of uncovered elements,
    divided by the size of the largest set and rounded up.
    """
    bound = uncovered.bit_count() * instance.least_cost_per_element
    return float(ceil(bound * (1 - _ROUNDING))) if instance.has_whole_costs else bound


def uncovered_count(instance: BitmaskInstance, uncovered: int, cost: float) -> float:
    """Return the number of uncovered elements.

    It is admissible if every set costs at least as much as it has elements. With unit costs it is inadmissible.
    """
    return float(uncovered.bit_count())


def overlap(instance: BitmaskInstance, uncovered: int, cost: float) -> float:
    """Return the number of uncovered elements, plus the cost so far beyond one per covered element.

    This heuristic is inadmissible: it counts past costs twice.
    """
    return uncovered.bit_count() + cost - (len(instance.element_sets) - uncovered.bit_count())


HEURISTICS: dict[str, Heuristic] = {"dual": dual, "largest": largest, "uncovered": uncovered_count, "overlap": overlap}
"""The heuristics of :func:`astar` by their names."""

_ADMISSIBLE = ("dual", "largest")


@validated
def astar(
    problem: SetCovering,
    *,
    estimate: Annotated[
        str,
        Option(
            "heuristic; with dual and largest, which are admissible, the cover has minimum cost; uncovered, the "
            "number of uncovered elements, is inadmissible; overlap is inadmissible too",
            choices=HEURISTICS,
        ),
    ] = "dual",
    seed: int = 0,
) -> Iterator[Incumbent]:
    """Solve an instance by A* (Hart, Nilsson and Raphael 1968). The work is the number of expanded states."""
    return _search(problem, HEURISTICS[estimate], is_admissible=estimate in _ADMISSIBLE)


def dijkstra(problem: SetCovering, *, seed: int = 0) -> Iterator[Incumbent]:
    """Dijkstra's algorithm: expand states in the order of their costs; the work is the number of states expanded."""
    return _search(problem, zero, is_admissible=True)


def _search(problem: SetCovering, heuristic: Heuristic, is_admissible: bool) -> Iterator[Incumbent]:
    instance, full = BitmaskInstance(problem), (1 << problem.size) - 1
    costs = {0: 0.0}
    parents: dict[int, tuple[int, int]] = {}  # for each state, the state before and the set selected there
    frontier = [(heuristic(instance, full, 0.0), 0.0, 0)]
    expanded, reported, bound = 0, monotonic(), None
    while frontier:
        priority, cost, state = heapq.heappop(frontier)
        if cost > costs[state]:
            continue
        if is_admissible:
            bound = priority if bound is None else max(bound, priority)
        if state == full:
            yield Incumbent(_selection(problem, parents, state), cost, expanded, bound)
            return
        expanded += 1
        for index in instance.successors(full & ~state):
            successor, new_cost = state | instance.masks[index], cost + instance.costs[index]
            if new_cost < costs.get(successor, float("inf")):
                costs[successor], parents[successor] = new_cost, (state, index)
                uncovered = full & ~successor
                estimate = heuristic(instance, uncovered, new_cost) if uncovered else 0.0
                if monotonic() - reported > _REPORT_SECONDS:
                    reported = monotonic()
                    yield Incumbent(None, float("inf"), expanded, bound)
                heapq.heappush(frontier, (new_cost + estimate, new_cost, successor))


def _selection(problem: SetCovering, parents: dict[int, tuple[int, int]], state: int) -> Genome:
    selected = np.zeros(problem.loci, np.bool_)
    while state:
        state, index = parents[state]
        selected[index] = True
    return selected
