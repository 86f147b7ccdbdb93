"""Tabu search: Glover, "Tabu search - part I", ORSA Journal on Computing 1, 1989.

Each move is the best there is: a list comes or goes. What came or went a short while ago stays as it is, unless a move
gives the best covering so far. What is bare has a price, which falls while all is covered and rises while it is not, so
that the search goes to and fro between the two.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ci_envs.games import integer_between, kernel
from ci_envs.kernels.random_numbers import random_below
from ci_envs.optimisation.set_covering.cover import cost_of, greedy_cover, join, leave, lists_of, missed, prices, wanted
from ci_envs.optimisation.set_covering.greedy import is_empty
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Found

_SWING = 0.05  # how much prices rise or fall with a move
_LOOKS = 500_000  # lists looked at between two reports: less than a tenth of a second


def tabu(problem: SetCovering, *, moves: int = 20_000, tenure: int = 2, seed: int = 0) -> Iterator[Found]:
    """Tabu search from the covering of the greedy rule ``chvatal`` on; the work is the moves.

    Args:
        problem: the instance.
        moves: how many.
        tenure: for so many moves a list stays as it is, or for up to as many more, by luck.
        seed: of that luck.

    Raises:
        ValueError: ``moves`` or ``tenure`` is not positive.
    """
    integer_between("moves", moves, 1)
    integer_between("tenure", tenure, 1)
    return _tabu(problem, moves, tenure, seed)


def _tabu(problem: SetCovering, moves: int, tenure: int, seed: int) -> Iterator[Found]:
    lists, cover = lists_of(problem), greedy_cover(problem)
    best, free = cover.taken.copy(), np.zeros(problem.loci, np.int64)
    price = prices(problem)
    word = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
    yield Found(best.copy(), problem.cost(best), 0)
    chunk = max(1, _LOOKS // problem.loci)
    for made in range(0, moves, chunk):
        end = min(moves, made + chunk)
        word = _search(lists, cover, price, free, best, made, end, tenure, np.uint64(word))
        yield Found(best.copy(), problem.cost(best), end)


@kernel
def _search(
    lists: Any, cover: Any, price: Any, free: Any, best: Any, made: Any, moves: Any, tenure: Any, state: Any
) -> Any:
    """``-> state``: the moves from number ``made`` on; ``free`` says from which on each list may come or go."""
    best_cost, cost = cost_of(lists, best), cost_of(lists, cover.taken)
    for now in range(made, moves):
        number = _best_move(lists, cover, price, free, now, best_cost - cost)
        if number < 0:
            continue
        if cover.taken[number]:
            leave(lists, number, cover)
            cost -= lists.costs[number]
        else:
            join(lists, number, cover)
            cost += lists.costs[number]
        luck, state = random_below(state, np.uint64(tenure))
        free[number] = now + 1 + tenure + np.int64(luck)
        covers = is_empty(cover.bare)
        if covers and cost < best_cost:
            best[:] = cover.taken
            best_cost = cost
        price *= 1 - _SWING if covers else 1 + _SWING
    return state


@kernel
def _best_move(lists: Any, cover: Any, price: Any, free: Any, now: Any, purse: Any) -> Any:
    """``-> list``: the one whose coming or going is best; -1 if none is free.

    ``purse`` is by how much the best covering costs more than what is taken.
    """
    bare = 0.0
    for element in range(len(price)):
        if cover.counts[element] == 0:
            bare += price[element]
    best, best_change = -1, np.inf
    for number in range(len(cover.taken)):
        if cover.taken[number]:
            weight, cost = -missed(lists, number, cover, price), -lists.costs[number]
        else:
            weight, cost = wanted(lists, number, cover, price), lists.costs[number]
        is_best_ever = cost < purse and weight >= bare - 1e-9
        if (free[number] <= now or is_best_ever) and cost - weight < best_change:
            best, best_change = number, cost - weight
    return best
