"""A minimum-cost cover by branch and bound: choose an uncovered element, and branch on the sets that have it.

A feasible solution of the dual of the LP relaxation gives a lower bound on the cost of covering the remaining elements.
It also gives the reduced cost of each set. A set whose reduced cost is too large for a better cover is excluded from
the subtree, and so is a set that was tried before. The default relaxation is dual ascent (Fisher and Kedia, "Optimal
solution of set covering/partitioning problems using dual heuristics", Management Science 36, 1990).
:mod:`ci_envs.optimisation.set_covering.ilp` solves the LP relaxation instead.
"""

from collections.abc import Iterator
from time import monotonic
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import kernel
from ci_envs.kernels.arrays import copy_items
from ci_envs.optimisation.set_covering.bitmask import full_bitmask, intersection_size, is_empty, lowest_bit
from ci_envs.optimisation.set_covering.cover import instance_of
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.set_covering.row_weighting import row_weighting
from ci_envs.optimisation.solving import ROUNDING, Incumbent

_REPORT_SECONDS = 0.1
_LOCAL_SEARCH_MOVES = 100_000  # of the local search that finds the first cover


class Relaxation(Protocol):
    """A lower bound on the cost of covering the remaining elements.

    Attributes:
        reduced_costs: float64 (sets,); for each open set of the last call of :meth:`bound`, a cover with this set costs
            at least the bound plus its reduced cost. Infinite for a set without uncovered elements.
    """

    reduced_costs: NDArray[np.float64]

    def bound(self, uncovered: NDArray[np.uint64], open_sets: NDArray[np.int64], budget: float) -> float:
        """Return a lower bound on the cost of covering the remaining elements.

        Args:
            uncovered: the elements to cover, as a bitmask.
            open_sets: the indices of the sets that may be selected, int64.
            budget: a larger bound may be returned as infinity.

        Returns:
            The bound; infinity if the open sets do not cover the elements.
        """


class _Path(NamedTuple):
    """The path from the root to a node of the search tree, with a row for each selected set.

    Attributes:
        uncovered: the elements not covered, as bitmasks.
        open_sets: the indices of the sets that may be selected from here on.
        open_counts: the number of open sets.
        branches: the indices of the sets to select next, in order.
        branch_counts: the number of branches, and how many of them were tried, int64 (rows, 2).
        cost: the cost of the selected sets.
        selected: the index of the set selected last.
    """

    uncovered: NDArray[np.uint64]
    open_sets: NDArray[np.int64]
    open_counts: NDArray[np.int64]
    branches: NDArray[np.int64]
    branch_counts: NDArray[np.int64]
    cost: NDArray[np.float64]
    selected: NDArray[np.int64]


class DualAscent:
    """A fast :class:`Relaxation`, usually a few percent below the LP relaxation.

    Attributes:
        reduced_costs: see :class:`Relaxation`.
    """

    def __init__(self, problem: SetCovering) -> None:
        self.reduced_costs = np.zeros(problem.loci)
        self._instance = instance_of(problem)
        self._dual = np.zeros(problem.size)

    def bound(self, uncovered: NDArray[np.uint64], open_sets: NDArray[np.int64], budget: float) -> float:
        """Return a lower bound by dual ascent; the arguments are those of :meth:`Relaxation.bound`."""
        return float(_bound(self._instance, uncovered, open_sets, self._dual, self.reduced_costs))


def branch_and_bound(problem: SetCovering, *, seed: int = 0) -> Iterator[Incumbent]:
    """Branch and bound until a cover is proven optimal; the work is the number of nodes.

    A local search finds the first cover.
    """
    return branch_on_elements(problem, DualAscent(problem), seed)


def branch_on_elements(problem: SetCovering, relaxation: Relaxation, seed: int) -> Iterator[Incumbent]:
    """Search the tree in which a node branches on the sets that have one element.

    Args:
        problem: the instance.
        relaxation: bounds the nodes.
        seed: the seed of the local search that finds the first cover.
    """
    for incumbent in row_weighting(problem, moves=_LOCAL_SEARCH_MOVES, seed=seed):
        yield Incumbent(incumbent.genome, incumbent.value, 0)
    best, cost, root_bound = incumbent.genome, incumbent.value, lower_bound(problem)
    instance, path, set_counts = instance_of(problem), _root_path(problem, cost), np.zeros(problem.size, np.int64)
    nodes, depth, reported = 0, 0, monotonic()
    while depth >= 0:
        nodes += 1
        if is_empty(path.uncovered[depth]):
            best, cost = np.zeros(problem.loci, np.bool_), float(path.cost[depth])
            best[path.selected[1 : depth + 1]] = True
        else:
            improvement = 0.999 if problem.has_whole_costs else ROUNDING * cost  # a better cover costs less by this
            budget = cost - improvement - path.cost[depth]  # for the remaining elements
            open_sets = path.open_sets[depth, : path.open_counts[depth]]
            bound = relaxation.bound(path.uncovered[depth], open_sets, budget)
            if bound <= budget:
                _branch(instance, path, depth, relaxation.reduced_costs, budget - bound, set_counts)
        depth = _next_node(instance, path, depth)
        if monotonic() - reported > _REPORT_SECONDS:
            reported = monotonic()
            yield Incumbent(best, cost, nodes, root_bound)
    yield Incumbent(best, cost, nodes, cost)


def lower_bound(problem: SetCovering) -> float:
    """Return the lower bound of dual ascent on the cost of every cover."""
    relaxation = DualAscent(problem)
    return relaxation.bound(full_bitmask(problem.size), np.arange(problem.loci), float("inf"))


def _root_path(problem: SetCovering, most: float) -> _Path:
    """Return the path of the root, where the sets are open that cost at most ``most``."""
    rows = min(problem.size, problem.loci) + 1
    path = _Path(
        uncovered=np.zeros((rows, problem.words.shape[1]), np.uint64),
        open_sets=np.zeros((rows, problem.loci), np.int64),
        open_counts=np.zeros(rows, np.int64),
        branches=np.zeros((rows, problem.loci), np.int64),
        branch_counts=np.zeros((rows, 2), np.int64),
        cost=np.zeros(rows),
        selected=np.zeros(rows, np.int64),
    )
    path.uncovered[0] = full_bitmask(problem.size)
    affordable = np.flatnonzero(problem.costs <= most)
    path.open_counts[0] = len(affordable)
    path.open_sets[0, : len(affordable)] = affordable
    return path


@kernel
def _next_node(instance: Any, path: Any, depth: Any) -> Any:
    """Go to the next node, and return the depth of its branch; -1 if there is none."""
    while depth >= 0:
        if path.branch_counts[depth, 1] < path.branch_counts[depth, 0]:
            index = path.branches[depth, path.branch_counts[depth, 1]]
            path.branch_counts[depth, 1] += 1
            _descend(instance, path, depth, index)
            return depth + 1
        depth -= 1
    return depth


@kernel
def _descend(instance: Any, path: Any, depth: Any, index: Any) -> None:
    """Select a set; the branches beside this one may not select it either."""
    kept = 0
    for k in range(path.open_counts[depth]):
        if path.open_sets[depth, k] != index:
            path.open_sets[depth, kept] = path.open_sets[depth, k]
            kept += 1
    path.open_counts[depth] = kept
    copy_items(path.open_sets[depth], path.open_sets[depth + 1], kept)
    path.open_counts[depth + 1] = kept
    for i in range(path.uncovered.shape[1]):
        path.uncovered[depth + 1, i] = path.uncovered[depth, i] & ~instance.words[index, i]
    path.cost[depth + 1] = path.cost[depth] + instance.costs[index]
    path.selected[depth + 1] = index
    path.branch_counts[depth + 1] = 0


@kernel
def _branch(instance: Any, path: Any, depth: Any, reduced_costs: Any, limit: Any, set_counts: Any) -> None:
    """Write the branches of a node by reduced cost, and close the sets whose reduced cost is above ``limit``.

    ``set_counts`` is scratch space: for each element, the number of open sets that have it.
    """
    set_counts[:] = 0
    kept = 0
    for index in path.open_sets[depth, : path.open_counts[depth]]:
        if reduced_costs[index] <= limit:
            path.open_sets[depth, kept] = index
            kept += 1
            for element in instance.set_elements[instance.set_starts[index] : instance.set_starts[index + 1]]:
                set_counts[element] += 1
    path.open_counts[depth] = kept
    rarest = _rarest_element(path.uncovered[depth], set_counts)
    branches = 0
    for index in path.open_sets[depth, :kept]:
        if instance.words[index, rarest >> 6] >> np.uint64(rarest & 63) & np.uint64(1):
            place = branches
            while place > 0 and reduced_costs[path.branches[depth, place - 1]] > reduced_costs[index]:
                path.branches[depth, place] = path.branches[depth, place - 1]
                place -= 1
            path.branches[depth, place] = index
            branches += 1
    path.branch_counts[depth, 0] = branches


@kernel
def _rarest_element(uncovered: Any, set_counts: Any) -> Any:
    """Return the uncovered element that is in the fewest open sets."""
    rarest = -1
    for i in range(len(uncovered)):
        word = uncovered[i]
        while word != np.uint64(0):
            element = 64 * i + lowest_bit(word)
            word &= word - np.uint64(1)
            if rarest < 0 or set_counts[element] < set_counts[rarest]:
                rarest = element
    return rarest


@kernel
def _bound(instance: Any, uncovered: Any, open_sets: Any, dual: Any, reduced_costs: Any) -> Any:
    """Return the sum of a feasible dual solution; infinite if the open sets do not cover the elements.

    Write the reduced cost of each open set; it is infinite for a set without uncovered elements. The dual variable of
    an element starts at the least cost per uncovered element among the sets that have it. Then each dual variable is
    raised by the least reduced cost of these sets.
    """
    dual[:] = np.inf
    for index in open_sets:
        new = intersection_size(instance.words[index], uncovered)
        reduced_costs[index] = instance.costs[index] if new > 0 else np.inf
        for i in range(len(uncovered)):
            word = instance.words[index, i] & uncovered[i]
            while word != np.uint64(0):
                element = 64 * i + lowest_bit(word)
                word &= word - np.uint64(1)
                dual[element] = min(dual[element], instance.costs[index] / new)
    total = 0.0
    for i in range(len(uncovered)):
        word = uncovered[i]
        while word != np.uint64(0):
            total += dual[64 * i + lowest_bit(word)]
            word &= word - np.uint64(1)
    if total == np.inf:
        return total
    for index in open_sets:
        for i in range(len(uncovered)):
            word = instance.words[index, i] & uncovered[i]
            while word != np.uint64(0):
                reduced_costs[index] -= dual[64 * i + lowest_bit(word)]
                word &= word - np.uint64(1)
    return total + _ascend(instance, uncovered, open_sets, reduced_costs)


@kernel
def _ascend(instance: Any, uncovered: Any, open_sets: Any, reduced_costs: Any) -> Any:
    """Return the sum by which the dual variables can be raised, one element after the other."""
    total = 0.0
    for i in range(len(uncovered)):
        word = uncovered[i]
        while word != np.uint64(0):
            bit = word & (~word + np.uint64(1))
            word &= word - np.uint64(1)
            least = np.inf
            for index in open_sets:
                if instance.words[index, i] & bit:
                    least = min(least, reduced_costs[index])
            if least > 0:
                total += least
                for index in open_sets:
                    if instance.words[index, i] & bit:
                        reduced_costs[index] -= least
    return total
