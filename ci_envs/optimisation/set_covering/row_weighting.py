"""Local search with weights on the numbers, the rows of the problem's matrix.

Gao, Weise and Li, "An efficient local search heuristic with row weighting for the unicost set covering problem", EJOR
246, 2015; here with costs.

A covering is broken by leaving out the list that is missed least for its cost; then a list goes and others come, within
the cost of the best covering so far, until all is covered again. A number that stays bare gains weight, so that what is
hard to cover is covered first. A list that has just come may not go, nor the one that has just gone come back.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ci_envs.games import integer_between, kernel
from ci_envs.kernels.bits import nth_one, popcount
from ci_envs.kernels.random_numbers import random_below
from ci_envs.optimisation.set_covering.cover import cost_of, greedy_cover, join, leave, lists_of, missed, wanted
from ci_envs.optimisation.set_covering.greedy import is_empty
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Found

_LOOKS = 2_000_000  # lists looked at between two reports: a tenth of a second or so


def row_weighting(problem: SetCovering, *, moves: int = 100_000, seed: int = 0) -> Iterator[Found]:
    """Local search with weights on the numbers, which finds the best; the work is the moves, a list that goes each.

    It begins with the covering of the greedy rule ``chvatal``.

    Args:
        problem: the instance.
        moves: how many.
        seed: of the choice of the number to cover next.

    Raises:
        ValueError: ``moves`` is not positive.
    """
    return _weigh(problem, integer_between("moves", moves, 1), seed)


def _weigh(problem: SetCovering, moves: int, seed: int) -> Iterator[Found]:
    lists, cover = lists_of(problem), greedy_cover(problem)
    best, stamps = cover.taken.copy(), np.zeros(problem.loci, np.int64)
    weights = np.ones(problem.size, np.int64)
    word = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
    made = 0
    yield Found(best.copy(), problem.cost(best), made)
    while made < moves:
        made, word = _search(lists, cover, weights, stamps, best, made, moves, np.uint64(word))
        yield Found(best.copy(), problem.cost(best), made)


@kernel
def _search(lists: Any, cover: Any, weights: Any, stamps: Any, best: Any, made: Any, moves: Any, state: Any) -> Any:
    """``-> (moves made, state)``: go on until there are so many, or a better covering, or many lists were looked at."""
    best_cost, cost = cost_of(lists, best), cost_of(lists, cover.taken)
    looked, found = 0, False
    while made < moves and looked < _LOOKS and not found:
        made += 1
        if is_empty(cover.bare) and cost < best_cost:
            best[:] = cover.taken
            best_cost, found = cost, True
        gone = _least_missed(lists, cover, weights, stamps, made)
        if gone >= 0:
            leave(lists, gone, cover)
            stamps[gone] = made
            cost -= lists.costs[gone]
        while not is_empty(cover.bare):
            number, state = _random_bare(cover.bare, state)
            come = _most_wanted(lists, cover, number, weights, stamps, gone, best_cost - cost)
            looked += lists.owner_starts[number + 1] - lists.owner_starts[number]
            if come < 0:
                break
            join(lists, come, cover)
            stamps[come] = made
            cost += lists.costs[come]
        for element in range(len(weights)):
            weights[element] += cover.counts[element] == 0
        looked += 1
    return made, state


@kernel
def _least_missed(lists: Any, cover: Any, weights: Any, stamps: Any, now: Any) -> Any:
    """``-> list``: the taken one that is missed least for its cost, of equals the one that came first; -1 if none."""
    best, best_loss = -1, np.inf
    for number in range(len(cover.taken)):
        if cover.taken[number] and stamps[number] != now - 1:
            loss = missed(lists, number, cover, weights) / lists.costs[number]
            if loss < best_loss or (loss == best_loss and stamps[number] < stamps[best]):
                best, best_loss = number, loss
    return best


@kernel
def _most_wanted(lists: Any, cover: Any, element: Any, weights: Any, stamps: Any, gone: Any, purse: Any) -> Any:
    """``-> list``: with a bare number, for a cost below ``purse``, which covers most weight for it; -1 if none.

    Of equals it is the one that went first.
    """
    best, best_gain = -1, 0.0
    for number in lists.owners[lists.owner_starts[element] : lists.owner_starts[element + 1]]:
        if number != gone and lists.costs[number] < purse:
            gain = wanted(lists, number, cover, weights) / lists.costs[number]
            if gain > best_gain or (gain == best_gain and stamps[number] < stamps[best]):
                best, best_gain = number, gain
    return best


@kernel
def _random_bare(bare: Any, state: Any) -> Any:
    """``-> (number, state)``: one that is not covered, each as likely; there is one."""
    total = np.uint64(0)
    for word in bare:
        total += popcount(word)
    left, state = random_below(state, total)
    for i in range(len(bare)):
        here = popcount(bare[i])
        if left < here:
            return 64 * i + np.int64(nth_one(bare[i], left)), state
        left -= here
    return -1, state
