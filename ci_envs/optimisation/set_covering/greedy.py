"""Greedy set covering: select the best set by a rule until every element is covered."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ci_envs.games import kernel
from ci_envs.optimisation.problem import Genome
from ci_envs.optimisation.set_covering.bitmask import full_bitmask, intersection_size, is_empty
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Incumbent
from ci_envs.validation import one_of

_OVERLAP, _CHVATAL, _COURSE = 0, 1, 2
RULES = {"overlap": _OVERLAP, "chvatal": _CHVATAL, "course": _COURSE}
"""The rules by their names."""


def greedy(problem: SetCovering, *, rule: str = "overlap", seed: int = 0) -> Iterator[Incumbent]:
    """Select the best set by a rule, repeatedly; the work is the number of sets examined.

    ``overlap`` is the rule of the report of 2022: the least ratio of covered elements to uncovered elements of a set;
    of equal sets, the one with the most uncovered elements. ``chvatal`` selects the least cost per newly covered
    element. Its cover costs at most H(d) times the optimum, where d is the size of the largest set and
    H(d) = 1 + 1/2 + ... + 1/d (Chvatal, "A greedy heuristic for the set-covering problem", Mathematics of Operations
    Research 4, 1979); this gives the bound. ``course`` goes through the sets by size and selects each that covers
    something new. Ties go to the first set.

    Args:
        problem: the instance.
        rule: ``overlap``, ``chvatal`` or ``course``.
        seed: not used: the algorithm is deterministic.

    Raises:
        ValueError: the rule is unknown.
    """
    return _solve(problem, one_of("rule", rule, RULES))


def _solve(problem: SetCovering, rule: str) -> Iterator[Incumbent]:
    selected, examined = select_greedily(problem, rule)
    cost, largest = problem.cost(selected), max(map(len, problem.sets))
    bound = cost / (1 / np.arange(1, largest + 1)).sum() if rule == "chvatal" else None
    yield Incumbent(selected, cost, examined, bound)


def select_greedily(problem: SetCovering, rule: str) -> tuple[Genome, int]:
    """Return the cover that a rule of :data:`RULES` selects, bool (sets,), and the number of sets examined."""
    sizes = problem.incidence.sum(axis=1)
    order = np.argsort(sizes, kind="stable") if rule == "course" else np.arange(problem.loci)
    selected, uncovered = np.zeros(problem.loci, np.bool_), full_bitmask(problem.size)
    examined = _select(problem.words, sizes, problem.costs, order, RULES[rule], uncovered, selected)
    return selected, int(examined)


@kernel
def _select(words: Any, sizes: Any, costs: Any, order: Any, rule: Any, uncovered: Any, selected: Any) -> Any:
    """``-> int``: mark the sets of the cover in ``selected``, empty ``uncovered``; return the sets examined."""
    examined = 0
    if rule == _COURSE:
        for index in order:
            examined += 1
            if intersection_size(words[index], uncovered) > 0:
                _add(words, index, uncovered, selected)
            if is_empty(uncovered):
                break
        return examined
    while not is_empty(uncovered):
        best, best_ratio, best_new = -1, np.inf, 0
        for index in order:
            new = intersection_size(words[index], uncovered)
            if new > 0:
                ratio = (costs[index] if rule == _CHVATAL else np.float64(sizes[index] - new)) / new
                if ratio < best_ratio or (rule == _OVERLAP and ratio == best_ratio and new > best_new):
                    best, best_ratio, best_new = index, ratio, new
        examined += len(order)
        _add(words, best, uncovered, selected)
    return examined


@kernel
def _add(words: Any, index: Any, uncovered: Any, selected: Any) -> None:
    """Select a set and remove its elements from ``uncovered``."""
    selected[index] = True
    for i in range(len(uncovered)):
        uncovered[i] &= ~words[index, i]
