"""Two exact searches for the cover with the least weight, with the weight of a known cover as an upper bound.

A review of report B proposes the weight of the greedy cover as this bound: a search can skip every heavier state. A
state is the set of covered elements, as a bit mask. The weight of a state is the total weight of its selected sets.
"""

from collections import deque
from collections.abc import Iterator
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

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
    goal, sets = (1 << problem.size) - 1, _masks_and_weights(problem)
    weights: dict[int, float] = {0: 0.0}
    queue, generated = [(0.0, 0)], 1
    while queue:
        weight, covered = heappop(queue)
        if covered == goal:
            return SearchEffort(weight, generated)
        if weight > weights[covered]:
            continue
        for following, total in _lighter_successors(covered, weight, sets, weights, bound):
            heappush(queue, (total, following))
            generated += 1
    raise ValueError(f"no cover weighs at most {bound}")


def breadth_first(problem: SetCovering, bound: float = inf) -> SearchEffort:
    """Find the cover with the least weight by breadth-first search.

    Args:
        problem: The instance.
        bound: The weight of a known cover. The search skips heavier states.
    """
    goal, sets = (1 << problem.size) - 1, _masks_and_weights(problem)
    weights: dict[int, float] = {0: 0.0}
    queue, generated = deque([(0.0, 0)]), 1
    while queue:
        weight, covered = queue.popleft()
        if weight > weights[covered] or covered == goal:
            continue
        for following, total in _lighter_successors(covered, weight, sets, weights, bound):
            queue.append((total, following))
            generated += 1
    if goal not in weights:
        raise ValueError(f"no cover weighs at most {bound}")
    return SearchEffort(weights[goal], generated)


def _masks_and_weights(problem: SetCovering) -> list[tuple[int, float]]:
    """Return each set as a bit mask of its elements, with its weight."""
    masks = [sum(1 << element for element in elements) for elements in problem.sets]
    return list(zip(masks, problem.costs.tolist(), strict=True))


def _lighter_successors(
    covered: int, weight: float, sets: list[tuple[int, float]], weights: dict[int, float], bound: float
) -> Iterator[tuple[int, float]]:
    """Yield each successor that has less weight than in ``weights``, with its weight, and update ``weights``."""
    for mask, cost in sets:
        following, total = covered | mask, weight + cost
        if total <= bound and total < weights.get(following, inf):
            weights[following] = total
            yield following, total
