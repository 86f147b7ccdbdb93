"""Tabu search: Glover, "Tabu search - part I", ORSA Journal on Computing 1, 1989.

Each move adds or removes the one set that is best. A set that was just added or removed is tabu: it stays as it is for
some moves, unless changing it gives the best cover so far (the aspiration criterion). Uncovered elements have a
penalty. It falls while everything is covered and rises otherwise (strategic oscillation), so the search alternates
between covers and infeasible selections.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from ci_envs.games import kernel
from ci_envs.kernels.arrays import copy_items
from ci_envs.kernels.random_numbers import random_below
from ci_envs.optimisation.set_covering.bitmask import is_empty
from ci_envs.optimisation.set_covering.cover import (
    add_set,
    addition_gain,
    greedy_cover,
    instance_of,
    removal_loss,
    remove_set,
    total_cost,
    uncovered_penalties,
)
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Incumbent
from ci_envs.registry.options import Option, validated

_PENALTY_RATE = 0.05  # relative change of the penalties per move
_REPORT_SETS = 500_000  # sets examined between two reports: less than 0.1 s


@validated
def tabu(
    problem: SetCovering,
    *,
    moves: Annotated[int, Option("number of moves", ge=1)] = 20_000,
    tenure: Annotated[
        int, Option("a changed set is tabu for tenure to 2 * tenure - 1 moves, chosen at random", ge=1)
    ] = 2,
    seed: int = 0,
) -> Iterator[Incumbent]:
    """Tabu search from the greedy cover ``chvatal``; the work is the number of moves."""
    instance, cover = instance_of(problem), greedy_cover(problem)
    best, tabu_until = cover.selected.copy(), np.zeros(problem.loci, np.int64)
    penalties = uncovered_penalties(problem)
    state = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
    yield Incumbent(best.copy(), problem.cost(best), 0)
    count = max(1, _REPORT_SETS // problem.loci)
    for first in range(0, moves, count):
        end = min(moves, first + count)
        state = _search(instance, cover, penalties, tabu_until, best, first, end, tenure, np.uint64(state))
        yield Incumbent(best.copy(), problem.cost(best), end)


@kernel
def _search(
    instance: Any, cover: Any, penalties: Any, tabu_until: Any, best: Any, first: Any, end: Any, tenure: Any, state: Any
) -> Any:
    """Make the moves from ``first`` to ``end - 1``, and return the state.

    A set may change from move ``tabu_until`` on.
    """
    best_cost, cost = total_cost(instance, best), total_cost(instance, cover.selected)
    for now in range(first, end):
        index = _best_move(instance, cover, penalties, tabu_until, now, best_cost - cost)
        if index < 0:
            continue
        if cover.selected[index]:
            remove_set(instance, index, cover)
            cost -= instance.costs[index]
        else:
            add_set(instance, index, cover)
            cost += instance.costs[index]
        extra, state = random_below(state, np.uint64(tenure))
        tabu_until[index] = now + 1 + tenure + np.int64(extra)
        is_cover = is_empty(cover.uncovered)
        if is_cover and cost < best_cost:
            copy_items(cover.selected, best, len(best))
            best_cost = cost
        penalties *= 1 - _PENALTY_RATE if is_cover else 1 + _PENALTY_RATE
    return state


@kernel
def _best_move(instance: Any, cover: Any, penalties: Any, tabu_until: Any, now: Any, budget: Any) -> Any:
    """Return the set to add or remove; -1 if every set is tabu.

    ``budget`` is the cost of the best cover minus the cost of the selection.
    """
    uncovered = 0.0
    for element in range(len(penalties)):
        if cover.counts[element] == 0:
            uncovered += penalties[element]
    best, best_change = -1, np.inf
    for index in range(len(cover.selected)):
        if cover.selected[index]:
            gain, cost = -removal_loss(instance, index, cover, penalties), -instance.costs[index]
        else:
            gain, cost = addition_gain(instance, index, cover, penalties), instance.costs[index]
        is_best_cover = cost < budget and gain >= uncovered * (1 - 1e-9)
        if (tabu_until[index] <= now or is_best_cover) and cost - gain < best_change:
            best, best_change = index, cost - gain
    return best
