"""The least covering by branch and bound: a bare number is chosen, and list after list with it is tried.

What is bare costs at least what its numbers are worth by prices of which no list's add up to more than its cost: a
solution of the dual of the linear relaxation. A list so dear by these prices that no better covering has it is left out
from there on, and so is one that was tried before. Here the prices are those of dual ascent (Fisher and Kedia, "Optimal
solution of set covering/partitioning problems using dual heuristics", Management Science 36, 1990);
:mod:`ci_envs.optimisation.set_covering.ilp` asks for the best.
"""

from collections.abc import Iterator
from time import monotonic
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import kernel
from ci_envs.optimisation.set_covering.cover import lists_of, lowest
from ci_envs.optimisation.set_covering.greedy import count_common, full_set, is_empty
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.set_covering.row_weighting import row_weighting
from ci_envs.optimisation.solving import Found

_REPORT_SECONDS = 0.1
_MOVES = 100_000  # of the local search that comes before


class Relaxation(Protocol):
    """What bounds the cost of covering the rest.

    Attributes:
        slack: float64 (lists,), of each list that was open when :meth:`bound` was asked last, how much more than the
            bound a covering with it costs at least; infinite if it has nothing bare.
    """

    slack: NDArray[np.float64]

    def bound(self, bare: NDArray[np.uint64], numbers: NDArray[np.int64], purse: float) -> float:
        """What covering the ``bare`` numbers, bits, by some of the lists ``numbers`` costs at least.

        It may be infinite if that is more than ``purse``, and is if it cannot be done.
        """


class _Path(NamedTuple):
    """The way down to a node, and what is left to try on it: a row for each list taken.

    Attributes:
        bare: what is not covered, as bits.
        open: the lists that may be used from here on.
        opened: how many they are.
        tries: the lists to be taken next.
        tried: how many they are, and how many of them were taken, int64 (rows, 2).
        cost: of the lists taken.
        taken: the list taken last.
    """

    bare: NDArray[np.uint64]
    open: NDArray[np.int64]
    opened: NDArray[np.int64]
    tries: NDArray[np.int64]
    tried: NDArray[np.int64]
    cost: NDArray[np.float64]
    taken: NDArray[np.int64]


class DualAscent:
    """A quick bound, mostly some per cent below that of the linear relaxation."""

    def __init__(self, problem: SetCovering) -> None:
        self.slack = np.zeros(problem.loci)
        self._lists = lists_of(problem)
        self._price = np.zeros(problem.size)

    def bound(self, bare: NDArray[np.uint64], numbers: NDArray[np.int64], purse: float) -> float:
        """As in :meth:`Relaxation.bound`."""
        return float(_bound(self._lists, bare, numbers, self._price, self.slack))


def branch_and_bound(problem: SetCovering, *, seed: int = 0) -> Iterator[Found]:
    """Branch and bound until the best covering is proven, from one of local search on; the work is the nodes.

    Args:
        problem: the instance.
        seed: of the local search.
    """
    return by_numbers(problem, DualAscent(problem), seed)


def by_numbers(problem: SetCovering, relaxation: Relaxation, seed: int) -> Iterator[Found]:
    """Branch by the lists of a number at each node, and bound by a relaxation."""
    for found in row_weighting(problem, moves=_MOVES, seed=seed):
        yield Found(found.genome, found.value, 0)
    best, cost, least = found.genome, found.value, lower_bound(problem)
    lists, path, owners = lists_of(problem), _path(problem), np.zeros(problem.size, np.int64)
    whole = (problem.costs == np.floor(problem.costs)).all()
    gain = 0.999 if whole else 1e-6  # a better covering costs as much less at least, whatever the rounding
    nodes, depth, told = 0, 0, monotonic()
    while depth >= 0:
        nodes += 1
        if is_empty(path.bare[depth]):
            best, cost = np.zeros(problem.loci, np.bool_), float(path.cost[depth])
            best[path.taken[1 : depth + 1]] = True
        else:
            purse = cost - gain - path.cost[depth]  # what the rest may cost
            bound = relaxation.bound(path.bare[depth], path.open[depth, : path.opened[depth]], purse)
            if bound <= purse:
                _branch(lists, path, depth, relaxation.slack, purse - bound, owners)
        depth = _next(lists, path, depth)
        if monotonic() - told > _REPORT_SECONDS:
            told = monotonic()
            yield Found(best, cost, nodes, least)
    yield Found(best, cost, nodes, cost)


def lower_bound(problem: SetCovering) -> float:
    """What every covering costs at least, by the prices of dual ascent alone."""
    return DualAscent(problem).bound(full_set(problem.size), np.arange(problem.loci), np.inf)


def _path(problem: SetCovering) -> _Path:
    rows = min(problem.size, problem.loci) + 1
    path = _Path(
        bare=np.zeros((rows, problem.words.shape[1]), np.uint64),
        open=np.zeros((rows, problem.loci), np.int64),
        opened=np.zeros(rows, np.int64),
        tries=np.zeros((rows, problem.loci), np.int64),
        tried=np.zeros((rows, 2), np.int64),
        cost=np.zeros(rows),
        taken=np.zeros(rows, np.int64),
    )
    path.bare[0], path.open[0], path.opened[0] = full_set(problem.size), np.arange(problem.loci), problem.loci
    return path


@kernel
def _next(lists: Any, path: Any, depth: Any) -> Any:
    """``-> depth``: go to the next node, that of a list to be tried; -1 if there is none."""
    while depth >= 0:
        if path.tried[depth, 1] < path.tried[depth, 0]:
            number = path.tries[depth, path.tried[depth, 1]]
            path.tried[depth, 1] += 1
            _go_down(lists, path, depth, number)
            return depth + 1
        depth -= 1
    return depth


@kernel
def _go_down(lists: Any, path: Any, depth: Any, number: Any) -> None:
    """Take a list; it is not open any longer beside this branch either."""
    kept = 0
    for k in range(path.opened[depth]):
        if path.open[depth, k] != number:
            path.open[depth, kept] = path.open[depth, k]
            kept += 1
    path.opened[depth] = kept
    path.open[depth + 1, :kept] = path.open[depth, :kept]
    path.opened[depth + 1] = kept
    for i in range(path.bare.shape[1]):
        path.bare[depth + 1, i] = path.bare[depth, i] & ~lists.words[number, i]
    path.cost[depth + 1] = path.cost[depth] + lists.costs[number]
    path.taken[depth + 1] = number
    path.tried[depth + 1] = 0


@kernel
def _branch(lists: Any, path: Any, depth: Any, slack: Any, most: Any, owners: Any) -> None:
    """Write which lists are to be tried, in order; those whose slack is more than ``most`` go."""
    owners[:] = 0
    kept = 0
    for number in path.open[depth, : path.opened[depth]]:
        if slack[number] <= most:
            path.open[depth, kept] = number
            kept += 1
            for element in lists.members[lists.starts[number] : lists.starts[number + 1]]:
                owners[element] += 1
    path.opened[depth] = kept
    rarest = _rarest(path.bare[depth], owners)
    tries = 0
    for number in path.open[depth, :kept]:
        if lists.words[number, rarest >> 6] >> np.uint64(rarest & 63) & np.uint64(1):
            place = tries
            while place > 0 and slack[path.tries[depth, place - 1]] > slack[number]:
                path.tries[depth, place] = path.tries[depth, place - 1]
                place -= 1
            path.tries[depth, place] = number
            tries += 1
    path.tried[depth, 0] = tries


@kernel
def _rarest(bare: Any, owners: Any) -> Any:
    """``-> number``: a bare one that is in the fewest open lists."""
    rarest = -1
    for i in range(len(bare)):
        word = bare[i]
        while word != np.uint64(0):
            element = 64 * i + lowest(word)
            word &= word - np.uint64(1)
            if rarest < 0 or owners[element] < owners[rarest]:
                rarest = element
    return rarest


@kernel
def _bound(lists: Any, bare: Any, numbers: Any, price: Any, slack: Any) -> Any:
    """``-> float``: what covering the rest costs at least, infinite if it cannot be done.

    What is left of the cost of each list is written; infinite if it has nothing bare. At first a number is worth its
    share of the cost of the list that shares it out among the most bare numbers; then each is worth as much more as all
    lists with it have left.
    """
    price[:] = np.inf
    for number in numbers:
        new = count_common(lists.words[number], bare)
        slack[number] = lists.costs[number] if new > 0 else np.inf
        for i in range(len(bare)):
            word = lists.words[number, i] & bare[i]
            while word != np.uint64(0):
                element = 64 * i + lowest(word)
                word &= word - np.uint64(1)
                price[element] = min(price[element], lists.costs[number] / new)
    total = 0.0
    for i in range(len(bare)):
        word = bare[i]
        while word != np.uint64(0):
            total += price[64 * i + lowest(word)]
            word &= word - np.uint64(1)
    if total == np.inf:
        return total
    for number in numbers:
        for i in range(len(bare)):
            word = lists.words[number, i] & bare[i]
            while word != np.uint64(0):
                slack[number] -= price[64 * i + lowest(word)]
                word &= word - np.uint64(1)
    return total + _ascend(lists, bare, numbers, slack)


@kernel
def _ascend(lists: Any, bare: Any, numbers: Any, slack: Any) -> Any:
    """``-> float``: how much more the bare numbers are worth, one after the other."""
    total = 0.0
    for i in range(len(bare)):
        word = bare[i]
        while word != np.uint64(0):
            bit = word & (~word + np.uint64(1))
            word &= word - np.uint64(1)
            least = np.inf
            for number in numbers:
                if lists.words[number, i] & bit:
                    least = min(least, slack[number])
            if least > 0:
                total += least
                for number in numbers:
                    if lists.words[number, i] & bit:
                        slack[number] -= least
    return total
