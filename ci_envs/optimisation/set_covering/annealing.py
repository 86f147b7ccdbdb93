"""Hill climbing and simulated annealing: lists come and go at random, at first from none.

What is bare has its price (:func:`~ci_envs.optimisation.set_covering.cover.prices`).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ci_envs.games import integer_between, kernel
from ci_envs.kernels.random_numbers import next_random, random_below
from ci_envs.optimisation.set_covering.cover import cost_of, join, leave, lists_of, missed, no_cover, prices, wanted
from ci_envs.optimisation.set_covering.greedy import is_empty
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Found
from ci_envs.validation import positive_number

_CHUNK = 50_000  # moves between two reports
_COLDEST = 0.02  # the last temperature as a share of the first


def hill_climbing(problem: SetCovering, *, moves: int = 1_000_000, seed: int = 0) -> Iterator[Found]:
    """Make random moves that do not make it worse; the work is the moves tried.

    Args:
        problem: the instance.
        moves: how many to try.
        seed: of the moves.

    Raises:
        ValueError: ``moves`` is not positive.
    """
    return _anneal(problem, integer_between("moves", moves, 1), 0.0, seed)


def annealing(
    problem: SetCovering, *, moves: int = 3_000_000, temperature: float = 0.2, seed: int = 0
) -> Iterator[Found]:
    """Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983); the work is the moves tried.

    Args:
        problem: the instance.
        moves: how many to try.
        temperature: the first, in mean costs of a list; it falls exponentially to a fiftieth.
        seed: of the moves.

    Raises:
        ValueError: an option is not positive.
    """
    integer_between("moves", moves, 1)
    hottest = positive_number("temperature", temperature) * float(problem.costs.mean())
    return _anneal(problem, moves, hottest, seed)


def _anneal(problem: SetCovering, moves: int, hottest: float, seed: int) -> Iterator[Found]:
    lists, cover = lists_of(problem), no_cover(problem)
    price = prices(problem)
    best = np.ones(problem.loci, np.bool_)
    word = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
    yield Found(best.copy(), problem.cost(best), 0)
    for made in range(0, moves, _CHUNK):
        chunk = min(_CHUNK, moves - made)
        word = _wander(lists, cover, price, best, chunk, hottest * _COLDEST ** (made / moves), np.uint64(word))
        yield Found(best.copy(), problem.cost(best), made + chunk)


@kernel
def _wander(lists: Any, cover: Any, price: Any, best: Any, moves: Any, temperature: Any, state: Any) -> Any:
    """``-> state``: try so many moves at a temperature: a list comes or goes, or one comes for one that goes."""
    best_cost, cost = cost_of(lists, best), cost_of(lists, cover.taken)
    count = np.uint64(len(cover.taken))
    for _ in range(moves):
        number, state = random_below(state, count)
        come = np.int64(number)
        gone, state = _random_taken(cover.taken, come, state)
        change = 0.0
        if gone >= 0:
            change += missed(lists, gone, cover, price) - lists.costs[gone]
            leave(lists, gone, cover)
        if come != gone:
            change += lists.costs[come] - wanted(lists, come, cover, price)
        else:
            come = np.int64(-1)
        word, state = next_random(state)
        luck = np.float64(word >> np.uint64(11)) * 2.0**-53
        if change <= 0 or (temperature > 0 and luck < np.exp(-change / temperature)):
            if come >= 0:
                join(lists, come, cover)
            cost += (lists.costs[come] if come >= 0 else 0.0) - (lists.costs[gone] if gone >= 0 else 0.0)
            if cost < best_cost and is_empty(cover.bare):
                best[:] = cover.taken
                best_cost = cost
        elif gone >= 0:
            join(lists, gone, cover)
    return state


@kernel
def _random_taken(taken: Any, come: Any, state: Any) -> Any:
    """``-> (list, state)``: which is to go: ``come`` if it is taken, else none or any of those taken; -1 means none."""
    if taken[come]:
        return come, state
    word, state = next_random(state)
    if word & np.uint64(1):
        return np.int64(-1), state
    total = 0
    for one in taken:
        total += one
    if total == 0:
        return np.int64(-1), state
    left, state = random_below(state, np.uint64(total))
    for number in range(len(taken)):
        if taken[number]:
            if left == np.uint64(0):
                return np.int64(number), state
            left -= np.uint64(1)
    return np.int64(-1), state
