"""The best-first search of report A for set covering.

Its priority of a state is the number of sets taken by the state's parent plus the number of uncovered elements. That
number over-estimates the number of sets that are still needed, since a set can cover several elements. There is no
closed list, so a state enters the queue once for each order in which its sets can be taken.
"""

import heapq
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Incumbent

_REPORT_STEPS = 500  # steps between two reports


class SearchState(NamedTuple):
    """A state of report A's search. Two states compare by Python's proper-subset test, which decides ties in the queue.

    Attributes:
        taken: The sets that are taken, as indices.
        not_taken: The other sets.
    """

    taken: frozenset[int]
    not_taken: frozenset[int]


class SearchProgress(NamedTuple):
    """The search after some steps.

    Attributes:
        steps: The number of states that were taken out of the queue and expanded.
        cover: The indices of the sets of the cover; None as long as there is none.
    """

    steps: int
    cover: frozenset[int] | None


def search(sets: Sequence[Collection[int]], size: int) -> Iterator[SearchProgress]:
    """Yield the progress of report A's search, and at last its cover.

    Args:
        sets: The elements of each set; a set can be empty.
        size: The number of elements, 0 to ``size - 1``. The sets must cover all of them.
    """

    def uncovered(state: SearchState) -> int:
        return size - len(set[int]().union(*(sets[index] for index in state.taken)))

    state = SearchState(frozenset(), frozenset(range(len(sets))))
    frontier: list[tuple[int, SearchState]] = []
    steps = 0
    while uncovered(state):
        steps += 1
        for index in state.not_taken:
            successor = SearchState(state.taken | {index}, state.not_taken - {index})
            heapq.heappush(frontier, (len(state.taken) + uncovered(successor), successor))
        _, state = heapq.heappop(frontier)
        if steps % _REPORT_STEPS == 0:
            yield SearchProgress(steps, None)
    yield SearchProgress(steps, state.taken)


def cover_of(sets: Sequence[Collection[int]], size: int) -> SearchProgress:
    """Return the end of report A's search: its number of steps and its cover. See :func:`search`."""
    *_, last = search(sets, size)
    return last


def best_first(problem: SetCovering, *, seed: int = 0) -> Iterator[Incumbent]:
    """Solve an instance by report A's best-first search; the work is the number of its steps.

    Report A counts the sets of a cover; the value is their cost, which is the same with ``unit_cost=true``. The queue
    grows with the number of orders of the sets, so the search is for small instances.

    Args:
        problem: the instance.
        seed: not used: the algorithm is deterministic.
    """
    for step in search(problem.sets, problem.size):
        if step.cover is None:
            yield Incumbent(None, float("inf"), step.steps)
        else:
            genome = np.zeros(problem.loci, np.bool_)
            genome[list(step.cover)] = True
            yield Incumbent(genome, problem.cost(genome), step.steps)
