"""Two exact searches for the cover with the least weight, with the weight of a known cover as an upper bound.

A review of report B proposes the weight of the greedy cover as this bound: a search can skip every heavier state. A
state is the set of covered elements, as a bit mask. The weight of a state is the total weight of its selected sets.
"""

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from math import inf
from typing import Any, NamedTuple

from ci_envs.optimisation.set_covering.best_first import BitmaskInstance
from ci_envs.optimisation.set_covering.problem import SetCovering


class SearchEffort(NamedTuple):
    """The result of a search.

    Attributes:
        weight: The least weight of a cover.
        generated: The number of states that entered the queue, including the initial state.
    """

    weight: float
    generated: int


def dijkstra(problem: SetCovering, bound: float = inf) -> SearchEffort:
    """Find the cover with the least weight by Dijkstra's algorithm, which expands the lightest state first.

    Args:
        problem: The instance.
        bound: The weight of a known cover. The search skips heavier states.
    """
    return _search(problem, bound, [], heappop, heappush, ends_at_a_cover=True)


def breadth_first(problem: SetCovering, bound: float = inf) -> SearchEffort:
    """Find the cover with the least weight by breadth-first search. :func:`dijkstra` describes the arguments."""
    queue = deque[tuple[float, int]]()
    return _search(problem, bound, queue, deque.popleft, deque.append, ends_at_a_cover=False)


def _search(
    problem: SetCovering, bound: float, queue: Any, pop: Callable[[Any], Any], push: Any, *, ends_at_a_cover: bool
) -> SearchEffort:
    """Search with a queue of the weights and the states. ``pop`` and ``push`` determine their order."""
    instance, goal = BitmaskInstance(problem), (1 << problem.size) - 1
    weights: dict[int, float] = {0: 0.0}
    push(queue, (0.0, 0))
    generated = 1
    while queue:
        weight, covered = pop(queue)
        if covered == goal and ends_at_a_cover:
            break
        if weight > weights[covered] or covered == goal:
            continue
        for mask, cost in zip(instance.masks, instance.costs, strict=True):
            successor, total = covered | mask, weight + cost
            if total <= bound and total < weights.get(successor, inf):
                weights[successor] = total
                push(queue, (total, successor))
                generated += 1
    if goal not in weights:
        raise ValueError(f"no cover weighs at most {bound}")
    return SearchEffort(weights[goal], generated)
