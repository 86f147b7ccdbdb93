"""What the local searches share: an instance as flat arrays, and a choice of lists with what it covers."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import kernel
from ci_envs.kernels.bits import popcount
from ci_envs.optimisation.set_covering.greedy import full_set, taken_by
from ci_envs.optimisation.set_covering.problem import SetCovering


class Lists(NamedTuple):
    """An instance.

    Attributes:
        words: the lists as bits, uint64 (lists, words).
        costs: of the lists, float64.
        starts: list ``k`` has ``members[starts[k]:starts[k + 1]]``.
        members: numbers, int64.
        owner_starts: number ``k`` is in the lists ``owners[owner_starts[k]:owner_starts[k + 1]]``.
        owners: lists, int64.
    """

    words: NDArray[np.uint64]
    costs: NDArray[np.float64]
    starts: NDArray[np.int64]
    members: NDArray[np.int64]
    owner_starts: NDArray[np.int64]
    owners: NDArray[np.int64]


class Cover(NamedTuple):
    """A choice of lists, which kernels change in place.

    Attributes:
        taken: whether each list is, bool.
        counts: how many lists taken have each number, int64.
        bare: the numbers that none has, as bits.
    """

    taken: NDArray[np.bool_]
    counts: NDArray[np.int64]
    bare: NDArray[np.uint64]


def lists_of(problem: SetCovering) -> Lists:
    """The flat arrays of an instance."""
    by_list, by_number = problem.incidence, problem.incidence.T
    return Lists(
        problem.words, problem.costs, _starts(by_list), by_list.nonzero()[1], _starts(by_number), by_number.nonzero()[1]
    )


def _starts(rows: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(rows.sum(axis=1))))


def greedy_cover(problem: SetCovering) -> Cover:
    """The covering of the greedy rule ``chvatal``."""
    taken, _ = taken_by(problem, "chvatal")
    return Cover(taken, problem.incidence[taken].sum(axis=0), np.zeros_like(full_set(problem.size)))


def no_cover(problem: SetCovering) -> Cover:
    """No list taken."""
    return Cover(np.zeros(problem.loci, np.bool_), np.zeros(problem.size, np.int64), full_set(problem.size))


def prices(problem: SetCovering) -> NDArray[np.float64]:
    """What each number costs while it is bare, float64 (size,).

    It is a little more than the cheapest list with it, so that a choice that no list can make better covers all.
    """
    cheapest: NDArray[np.float64] = np.where(problem.incidence, problem.costs[:, np.newaxis], np.inf).min(axis=0)
    return 1.01 * cheapest


@kernel
def lowest(word: Any) -> Any:
    """``-> int``: the number of the lowest bit that is set; there is one."""
    return np.int64(popcount((word & (~word + np.uint64(1))) - np.uint64(1)))


@kernel
def cost_of(lists: Any, taken: Any) -> Any:
    """``-> float``: the sum of the costs of the lists taken."""
    cost = 0.0
    for number in range(len(taken)):
        if taken[number]:
            cost += lists.costs[number]
    return cost


@kernel
def join(lists: Any, number: Any, cover: Any) -> None:
    """Take a list."""
    cover.taken[number] = True
    for element in lists.members[lists.starts[number] : lists.starts[number + 1]]:
        cover.counts[element] += 1
    for i in range(len(cover.bare)):
        cover.bare[i] &= ~lists.words[number, i]


@kernel
def leave(lists: Any, number: Any, cover: Any) -> None:
    """Leave out a list that is taken."""
    cover.taken[number] = False
    for element in lists.members[lists.starts[number] : lists.starts[number + 1]]:
        cover.counts[element] -= 1
        if cover.counts[element] == 0:
            cover.bare[element >> 6] |= np.uint64(1) << np.uint64(element & 63)


@kernel
def missed(lists: Any, number: Any, cover: Any, weights: Any) -> Any:
    """``-> float``: the weight of what a list that is taken covers alone."""
    total = weights[0] * 0
    for element in lists.members[lists.starts[number] : lists.starts[number + 1]]:
        if cover.counts[element] == 1:
            total += weights[element]
    return total


@kernel
def wanted(lists: Any, number: Any, cover: Any, weights: Any) -> Any:
    """``-> float``: the weight of what is bare and in a list."""
    total = weights[0] * 0
    for i in range(len(cover.bare)):
        word = lists.words[number, i] & cover.bare[i]
        while word != np.uint64(0):
            total += weights[64 * i + lowest(word)]
            word &= word - np.uint64(1)
    return total
