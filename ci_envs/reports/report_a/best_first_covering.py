"""The best-first search of report A for set covering.

The priority of a state is the number of sets in the parent state plus the number of uncovered elements. This heuristic
is inadmissible: it overestimates the number of missing sets, because a set can cover several elements. There is no
closed list, so a state enters the queue once for each order of its sets.
"""

import heapq
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Incumbent

_REPORT_STEPS = 500  # steps between two reports


class SearchState(NamedTuple):
    """A state of report A's search. Python's proper-subset test compares two states, and so breaks ties in the queue.

    Attributes:
        taken: The sets that are taken, as indices.
        not_taken: The other sets.
    """

    taken: frozenset[int]
    not_taken: frozenset[int]


class SearchProgress(NamedTuple):
    """The search after some steps.

    Attributes:
        steps: The number of expanded states.
        cover: The indices of the sets of the cover, or None before the search has found a cover.
    """

    steps: int
    cover: frozenset[int] | None


def search(sets: Sequence[Collection[int]], size: int) -> Iterator[SearchProgress]:
    """Yield the progress of report A's search, and finally its cover.

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
    """Return the number of steps and the cover of report A's search. :func:`search` describes the arguments."""
    *_, last = search(sets, size)
    return last


def best_first(problem: SetCovering, *, seed: int = 0) -> Iterator[Incumbent]:
    """Solve an instance by report A's best-first search. The work is the number of steps.

    Report A counts the sets of a cover. Here the value of a cover is its cost, which is the same number with
    ``unit_cost=true``. The size of the queue grows with the number of orders of the sets, so the search is only for
    small instances.

    Args:
        problem: the instance.
        seed: not used, because the algorithm is deterministic.
    """
    for step in search(problem.sets, problem.size):
        if step.cover is None:
            yield Incumbent(None, float("inf"), step.steps)
        else:
            genome = np.zeros(problem.loci, np.bool_)
            genome[list(step.cover)] = True
            yield Incumbent(genome, problem.cost(genome), step.steps)
