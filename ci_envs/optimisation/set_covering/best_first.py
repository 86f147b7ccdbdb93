"""Best-first search for the least covering: A*, Dijkstra's algorithm, and one that may miss it.

A state is the set of numbers covered, an integer of bits. From it play goes on with the lists that have one certain
bare number, the one in the fewest lists: some list of every covering has it, so no covering is missed.
"""

import heapq
from collections.abc import Callable, Iterator

import numpy as np

from ci_envs.optimisation.problem import Genome
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Found
from ci_envs.validation import one_of

Estimate = Callable[["Lists", int, float], float]
"""``(lists, bare, cost so far) -> what is added to the cost so far``, of a state with these bare numbers."""

_STEPS = 2000  # states between two reports


class Lists:
    """The lists of a problem as integers of bits.

    Attributes:
        masks: the lists.
        costs: of the lists.
        owners: of each number, the lists that have it.
    """

    def __init__(self, problem: SetCovering) -> None:
        self.masks = [sum(1 << number for number in one) for one in problem.lists]
        self.costs: list[float] = problem.costs.tolist()
        self.owners = [np.flatnonzero(column).tolist() for column in problem.incidence.T]
        self._rarity = sorted(range(problem.size), key=lambda number: len(self.owners[number]))

    def choices(self, bare: int) -> list[int]:
        """The lists that have the bare number which is in the fewest lists."""
        number = next(number for number in self._rarity if bare >> number & 1)
        return self.owners[number]


def nothing(lists: Lists, bare: int, cost: float) -> float:
    """Dijkstra's: 0."""
    return 0.0


def dual(lists: Lists, bare: int, cost: float) -> float:
    """A lower bound, so that A* finds the least covering.

    When a list's cost is shared out among its bare numbers, each of them costs at least what it does in the list where
    it is cheapest. These prices solve the dual of the linear relaxation: no list's add up to more than its cost.
    """
    offers = [
        (price / new, mask)
        for mask, price in zip(lists.masks, lists.costs, strict=True)
        if (new := (mask & bare).bit_count())
    ]
    offers.sort()
    total = 0.0
    for price, mask in offers:
        total += price * (mask & bare).bit_count()
        bare &= ~mask
        if not bare:
            break
    return total


def overlap(lists: Lists, bare: int, cost: float) -> float:
    """What is bare, and what was paid beyond one for each number covered: no lower bound, the past counts twice."""
    return bare.bit_count() + cost - (len(lists.owners) - bare.bit_count())


ESTIMATES: dict[str, Estimate] = {"dual": dual, "overlap": overlap}
"""The estimates of :func:`astar` by their names."""


def astar(problem: SetCovering, *, estimate: str = "dual", seed: int = 0) -> Iterator[Found]:
    """A* (Hart, Nilsson and Raphael 1968); the work is the states expanded.

    Args:
        problem: the instance.
        estimate: ``dual``, a lower bound, so that the covering is the least; or ``overlap``, which is none.
        seed: not used, as there is no luck in it.

    Raises:
        ValueError: there is no such estimate.
    """
    one_of("estimate", estimate, ESTIMATES)
    return _search(problem, ESTIMATES[estimate], is_bound=estimate == "dual")


def dijkstra(problem: SetCovering, *, seed: int = 0) -> Iterator[Found]:
    """Dijkstra's algorithm: states in the order of their costs; the work is the states expanded.

    Args:
        problem: the instance.
        seed: not used, as there is no luck in it.
    """
    return _search(problem, nothing, is_bound=True)


def _search(problem: SetCovering, estimate: Estimate, is_bound: bool) -> Iterator[Found]:
    lists, full = Lists(problem), (1 << problem.size) - 1
    cheapest = {0: 0.0}
    came: dict[int, tuple[int, int]] = {}  # of a state, the one before and the list taken
    frontier = [(estimate(lists, full, 0.0), 0.0, 0)]
    expanded, bound = 0, None
    while frontier:
        priority, cost, state = heapq.heappop(frontier)
        if cost > cheapest[state]:
            continue
        if is_bound:
            bound = priority if bound is None else max(bound, priority)
        if state == full:
            yield Found(_taken(problem, came, state), cost, expanded, bound)
            return
        expanded += 1
        if expanded % _STEPS == 0:
            yield Found(None, float("inf"), expanded, bound)
        for number in lists.choices(full & ~state):
            following, price = state | lists.masks[number], cost + lists.costs[number]
            if price < cheapest.get(following, float("inf")):
                cheapest[following], came[following] = price, (state, number)
                bare = full & ~following
                heapq.heappush(frontier, (price + (estimate(lists, bare, price) if bare else 0.0), price, following))


def _taken(problem: SetCovering, came: dict[int, tuple[int, int]], state: int) -> Genome:
    taken = np.zeros(problem.loci, np.bool_)
    while state:
        state, number = came[state]
        taken[number] = True
    return taken
