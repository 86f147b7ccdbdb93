"""Stochastic hill climbing and simulated annealing on selections of sets, from the empty selection.

An uncovered element adds its penalty (:func:`~ci_envs.optimisation.set_covering.cover.uncovered_penalties`) to the
cost of a selection.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from ci_envs.games import kernel
from ci_envs.kernels.arrays import copy_items
from ci_envs.kernels.random_draws import random_share
from ci_envs.kernels.random_numbers import next_random, random_below
from ci_envs.optimisation.set_covering.bitmask import is_empty
from ci_envs.optimisation.set_covering.cover import (
    add_set,
    addition_gain,
    empty_cover,
    instance_of,
    removal_loss,
    remove_set,
    total_cost,
    uncovered_penalties,
)
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Incumbent
from ci_envs.registry.options import Option, validated

_REPORT_MOVES = 50_000  # moves between two reports
_FINAL_TEMPERATURE = 0.02  # relative to the initial temperature


@validated
def stochastic_hill_climbing(
    problem: SetCovering, *, moves: Annotated[int, Option("number of moves to try", ge=1)] = 1_000_000, seed: int = 0
) -> Iterator[Incumbent]:
    """Stochastic hill climbing: accept random moves that are not worse; the work is the number of moves tried."""
    return _anneal(problem, moves, 0.0, seed)


@validated
def annealing(
    problem: SetCovering,
    *,
    moves: Annotated[int, Option("number of moves to try", ge=1)] = 3_000_000,
    temperature: Annotated[
        float, Option("initial temperature in mean costs of a set; it falls exponentially to 2% of this", gt=0)
    ] = 0.2,
    seed: int = 0,
) -> Iterator[Incumbent]:
    """Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983); the work is the number of moves tried."""
    initial = temperature * float(problem.costs.mean())
    return _anneal(problem, moves, initial, seed)


def _anneal(problem: SetCovering, moves: int, temperature: float, seed: int) -> Iterator[Incumbent]:
    instance, cover, penalties = instance_of(problem), empty_cover(problem), uncovered_penalties(problem)
    best = np.ones(problem.loci, np.bool_)
    state = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)
    yield Incumbent(best.copy(), problem.cost(best), 0)
    for done in range(0, moves, _REPORT_MOVES):
        count = min(_REPORT_MOVES, moves - done)
        current = temperature * _FINAL_TEMPERATURE ** (done / moves)
        state = _random_walk(instance, cover, penalties, best, count, current, np.uint64(state))
        yield Incumbent(best.copy(), problem.cost(best), done + count)


@kernel
def _random_walk(instance: Any, cover: Any, penalties: Any, best: Any, moves: Any, temperature: Any, state: Any) -> Any:
    """Try ``moves`` random moves, and return the state: add a set, remove a set, or exchange two sets."""
    best_cost, cost = total_cost(instance, best), total_cost(instance, cover.selected)
    count = np.uint64(len(cover.selected))
    for _ in range(moves):
        index, state = random_below(state, count)
        added = np.int64(index)
        removed, state = _random_removal(cover.selected, added, state)
        change = 0.0
        if removed >= 0:
            change += removal_loss(instance, removed, cover, penalties) - instance.costs[removed]
            remove_set(instance, removed, cover)
        if added != removed:
            change += instance.costs[added] - addition_gain(instance, added, cover, penalties)
        else:
            added = np.int64(-1)
        uniform, state = random_share(state)
        if change <= 0 or (temperature > 0 and uniform < np.exp(-change / temperature)):
            if added >= 0:
                add_set(instance, added, cover)
            cost += (instance.costs[added] if added >= 0 else 0.0) - (instance.costs[removed] if removed >= 0 else 0.0)
            if cost < best_cost and is_empty(cover.uncovered):
                copy_items(cover.selected, best, len(best))
                best_cost = cost
        elif removed >= 0:
            add_set(instance, removed, cover)
    return state


@kernel
def _random_removal(selected: Any, added: Any, state: Any) -> Any:
    """Return ``(set, state)``: the set to remove; -1 for none.

    The set is ``added`` if that is selected. Otherwise it is -1 or a random selected set, with probability 1/2 each.
    """
    if selected[added]:
        return added, state
    word, state = next_random(state)
    if word & np.uint64(1):
        return np.int64(-1), state
    total = 0
    for is_selected in selected:
        total += is_selected
    if total == 0:
        return np.int64(-1), state
    remaining, state = random_below(state, np.uint64(total))
    for index in range(len(selected)):
        if selected[index]:
            if remaining == np.uint64(0):
                return np.int64(index), state
            remaining -= np.uint64(1)
    return np.int64(-1), state
