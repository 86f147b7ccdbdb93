"""Data structures of the local searches: an instance as flat arrays, and a selection of sets that kernels change."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import kernel
from ci_envs.optimisation.set_covering.bitmask import full_bitmask, lowest_bit
from ci_envs.optimisation.set_covering.greedy import select_greedily
from ci_envs.optimisation.set_covering.problem import SetCovering


class Instance(NamedTuple):
    """An instance as flat arrays, with its 0-1 matrix in compressed sparse form by columns and by rows.

    Attributes:
        words: the sets as bitmasks, uint64 (sets, words).
        costs: the cost of each set, float64 (sets,).
        set_starts: set k has the elements ``set_elements[set_starts[k]:set_starts[k + 1]]``, int64 (sets + 1,).
        set_elements: elements, int64.
        element_starts: element k is in the sets ``element_sets[element_starts[k]:element_starts[k + 1]]``, int64
            (elements + 1,).
        element_sets: indices of sets, int64.
    """

    words: NDArray[np.uint64]
    costs: NDArray[np.float64]
    set_starts: NDArray[np.int64]
    set_elements: NDArray[np.int64]
    element_starts: NDArray[np.int64]
    element_sets: NDArray[np.int64]


class Cover(NamedTuple):
    """A selection of sets, which may leave elements uncovered. Kernels change it in place.

    Attributes:
        selected: whether each set is selected, bool (sets,).
        counts: how many selected sets have each element, int64 (elements,).
        uncovered: the elements with count 0, as a bitmask.
    """

    selected: NDArray[np.bool_]
    counts: NDArray[np.int64]
    uncovered: NDArray[np.uint64]


def instance_of(problem: SetCovering) -> Instance:
    """Return the flat arrays of an instance."""
    by_set, by_element = problem.incidence, problem.incidence.T
    return Instance(
        problem.words, problem.costs, _starts(by_set), by_set.nonzero()[1], _starts(by_element), by_element.nonzero()[1]
    )


def _starts(rows: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(rows.sum(axis=1))))


def greedy_cover(problem: SetCovering) -> Cover:
    """Return the cover of the greedy rule ``chvatal``."""
    selected, _ = select_greedily(problem, "chvatal")
    return Cover(selected, problem.incidence[selected].sum(axis=0), np.zeros_like(full_bitmask(problem.size)))


def empty_cover(problem: SetCovering) -> Cover:
    """Return the selection of no set."""
    return Cover(np.zeros(problem.loci, np.bool_), np.zeros(problem.size, np.int64), full_bitmask(problem.size))


def uncovered_penalties(problem: SetCovering) -> NDArray[np.float64]:
    """Return the penalty of each element while it is uncovered, float64 (elements,).

    The penalty is 1% more than the cost of the cheapest set with the element. So a selection that no additional set
    improves covers everything.
    """
    cheapest: NDArray[np.float64] = np.where(problem.incidence, problem.costs[:, np.newaxis], np.inf).min(axis=0)
    return 1.01 * cheapest


@kernel
def total_cost(instance: Any, selected: Any) -> Any:
    """Return the sum of the costs of the selected sets."""
    cost = 0.0
    for index in range(len(selected)):
        if selected[index]:
            cost += instance.costs[index]
    return cost


@kernel
def add_set(instance: Any, index: Any, cover: Any) -> None:
    """Select a set."""
    cover.selected[index] = True
    for element in instance.set_elements[instance.set_starts[index] : instance.set_starts[index + 1]]:
        cover.counts[element] += 1
    for i in range(len(cover.uncovered)):
        cover.uncovered[i] &= ~instance.words[index, i]


@kernel
def remove_set(instance: Any, index: Any, cover: Any) -> None:
    """Deselect a selected set."""
    cover.selected[index] = False
    for element in instance.set_elements[instance.set_starts[index] : instance.set_starts[index + 1]]:
        cover.counts[element] -= 1
        if cover.counts[element] == 0:
            cover.uncovered[element >> 6] |= np.uint64(1) << np.uint64(element & 63)


@kernel
def removal_loss(instance: Any, index: Any, cover: Any, weights: Any) -> Any:
    """Return the weight of the elements that only a given selected set covers."""
    total = weights[0] * 0
    for element in instance.set_elements[instance.set_starts[index] : instance.set_starts[index + 1]]:
        if cover.counts[element] == 1:
            total += weights[element]
    return total


@kernel
def addition_gain(instance: Any, index: Any, cover: Any, weights: Any) -> Any:
    """Return the weight of the uncovered elements of a set."""
    total = weights[0] * 0
    for i in range(len(cover.uncovered)):
        word = instance.words[index, i] & cover.uncovered[i]
        while word != np.uint64(0):
            total += weights[64 * i + lowest_bit(word)]
            word &= word - np.uint64(1)
    return total
