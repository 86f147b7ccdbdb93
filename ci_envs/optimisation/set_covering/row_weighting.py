"""Local search with weights on the elements, the rows of the 0-1 matrix.

Gao, Weise and Li, "An efficient local search heuristic with row weighting for the unicost set covering problem", EJOR
246, 2015; here with costs.

The search removes the set with the least loss per cost from a cover. Then it repeatedly removes one set and adds
others, at a total cost below that of the best cover, until every element is covered again. The weight of an element
grows while the element is uncovered, so the elements that are hard to cover are covered first. A set that was just
added may not be removed, and the set that was just removed may not be added.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from ci_envs.games import kernel
from ci_envs.kernels.arrays import copy_items
from ci_envs.kernels.bits import nth_one, popcount
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
)
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Incumbent
from ci_envs.registry.options import Option, validated

_REPORT_SETS = 2_000_000  # sets examined between two reports: about 0.1 s


@validated
def row_weighting(
    problem: SetCovering, *, moves: Annotated[int, Option("number of moves", ge=1)] = 100_000, seed: int = 0
) -> Iterator[Incumbent]:
    """Local search with row weighting, from the greedy cover ``chvatal``; the work is the number of moves.

    A move removes one set and adds sets. Of the heuristics here, this one finds the best covers.
    """
    instance, cover = instance_of(problem), greedy_cover(problem)
    best, changed = cover.selected.copy(), np.zeros(problem.loci, np.int64)
    weights = np.ones(problem.size, np.int64)
    state = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
    done = 0
    yield Incumbent(best.copy(), problem.cost(best), done)
    while done < moves:
        done, state = _search(instance, cover, weights, changed, best, done, moves, np.uint64(state))
        yield Incumbent(best.copy(), problem.cost(best), done)


@kernel
def _search(instance: Any, cover: Any, weights: Any, changed: Any, best: Any, done: Any, moves: Any, state: Any) -> Any:
    """Search until ``moves`` are done, the best cover improves, or a report is due; return (moves done, state).

    ``changed`` has the move at which each set was added or removed last.
    """
    best_cost, cost = total_cost(instance, best), total_cost(instance, cover.selected)
    examined, improved = 0, False
    while done < moves and examined < _REPORT_SETS and not improved:
        done += 1
        if is_empty(cover.uncovered) and cost < best_cost:
            copy_items(cover.selected, best, len(best))
            best_cost, improved = cost, True
        removed = _best_removal(instance, cover, weights, changed, done)
        if removed >= 0:
            remove_set(instance, removed, cover)
            changed[removed] = done
            cost -= instance.costs[removed]
        while not is_empty(cover.uncovered):
            element, state = _random_element(cover.uncovered, state)
            added = _best_addition(instance, cover, element, weights, changed, removed, best_cost - cost)
            examined += instance.element_starts[element + 1] - instance.element_starts[element]
            if added < 0:
                break
            add_set(instance, added, cover)
            changed[added] = done
            cost += instance.costs[added]
        for element in range(len(weights)):
            weights[element] += cover.counts[element] == 0
        examined += 1
    return done, state


@kernel
def _best_removal(instance: Any, cover: Any, weights: Any, changed: Any, now: Any) -> Any:
    """Return the selected set with the least loss per cost; -1 for none. Ties go to the set added first."""
    best, best_loss = -1, np.inf
    for index in range(len(cover.selected)):
        if cover.selected[index] and changed[index] != now - 1:
            loss = removal_loss(instance, index, cover, weights) / instance.costs[index]
            if loss < best_loss or (loss == best_loss and changed[index] < changed[best]):
                best, best_loss = index, loss
    return best


@kernel
def _best_addition(
    instance: Any, cover: Any, element: Any, weights: Any, changed: Any, removed: Any, budget: Any
) -> Any:
    """Return the set with ``element`` and a cost below ``budget`` that gains most weight per cost; -1 for none.

    Ties go to the set that was removed first.
    """
    best, best_gain = -1, 0.0
    for index in instance.element_sets[instance.element_starts[element] : instance.element_starts[element + 1]]:
        if index != removed and instance.costs[index] < budget:
            gain = addition_gain(instance, index, cover, weights) / instance.costs[index]
            if gain > best_gain or (gain == best_gain and changed[index] < changed[best]):
                best, best_gain = index, gain
    return best


@kernel
def _random_element(elements: Any, state: Any) -> Any:
    """Return ``(element, state)``: a uniformly random element of a bitmask that is not empty."""
    total = np.uint64(0)
    for word in elements:
        total += popcount(word)
    remaining, state = random_below(state, total)
    for i in range(len(elements)):
        count = popcount(elements[i])
        if remaining < count:
            return 64 * i + np.int64(nth_one(elements[i], remaining)), state
        remaining -= count
    return -1, state
