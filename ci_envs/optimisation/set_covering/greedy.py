"""Greedy set covering: select the best set by a rule until every element is covered."""

from collections.abc import Generator, Iterator
from itertools import count
from typing import Annotated, Any

import numpy as np

from ci_envs.games import kernel
from ci_envs.optimisation.problem import Genome
from ci_envs.optimisation.set_covering.bitmask import full_bitmask, intersection_size, is_empty
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Incumbent
from ci_envs.registry.options import Option, validated

_OVERLAP, _CHVATAL, _COURSE = 0, 1, 2
RULES = {"overlap": _OVERLAP, "chvatal": _CHVATAL, "course": _COURSE}
"""The rules by their names."""

CYCLES = ("all", "alternate", "random")
"""The steps that look ahead: all, every other one from the first, or each with probability 1/2."""


@validated
def greedy(
    problem: SetCovering,
    *,
    rule: Annotated[str, Option("rule that selects the next set", choices=RULES)] = "chvatal",
    width: Annotated[
        int,
        Option(
            "number of best sets that are tried at each step; 1 selects the best at once", ge=1, not_with="rule=course"
        ),
    ] = 1,
    lookahead: Annotated[
        int,
        Option("number of sets by which each of them is extended before they are compared", ge=0),
    ] = 0,
    cycles: Annotated[str, Option("steps that try more than one set", choices=CYCLES)] = "all",
    seed: int = 0,
) -> Iterator[Incumbent]:
    """Select the best set by a rule, repeatedly; the work is the number of sets examined.

    ``chvatal`` selects the least cost per newly covered element. Its cover costs at most H(d) times the optimum, where
    d is the size of the largest set and H(d) = 1 + 1/2 + ... + 1/d (Chvatal, "A greedy heuristic for the set-covering
    problem", Mathematics of Operations Research 4, 1979); this gives the bound. The other rules ignore the costs.
    ``overlap`` selects the least ratio of covered elements to uncovered elements of a set; of equal
    sets, the one with the most uncovered elements. ``course`` goes through the sets by size and selects each that
    covers something new. Ties go to the first set.

    ``greedy:rule=overlap,width=3,lookahead=4`` looks ahead: at each step it
    tries the 3 best sets, extends each of them by 4 more sets greedily, and selects the one with the least cost per
    covered element.

    Raises:
        ValueError: an option is out of range, or has no effect: the rule ``course`` compares no sets.
    """
    return _solve(problem, rule, width, lookahead, _looks_ahead(cycles, seed))


def _looks_ahead(cycles: str, seed: int) -> Iterator[bool]:
    """Yield for each step whether it looks ahead."""
    rng = np.random.default_rng(seed)
    for step in count():
        yield {"all": True, "alternate": step % 2 == 0, "random": rng.random() < 0.5}[cycles]


def _solve(
    problem: SetCovering, rule: str, width: int, lookahead: int, looks_ahead: Iterator[bool]
) -> Iterator[Incumbent]:
    if width == 1:
        selected, examined = select_greedily(problem, rule)
    else:
        selected, examined = yield from _select_with_lookahead(problem, rule, width, lookahead, looks_ahead)
    cost, largest = problem.cost(selected), max(map(len, problem.sets))
    bound = cost / (1 / np.arange(1, largest + 1)).sum() if rule == "chvatal" and width == 1 else None
    yield Incumbent(selected, cost, examined, bound)


def select_greedily(problem: SetCovering, rule: str, first: int | None = None) -> tuple[Genome, int]:
    """Return the cover that a rule of :data:`RULES` selects, bool (sets,), and the number of sets examined.

    Args:
        problem: The instance.
        rule: The rule.
        first: The index of a set that is selected before the rule selects sets, or None.
    """
    sizes = problem.incidence.sum(axis=1)
    order = np.argsort(sizes, kind="stable") if rule == "course" else np.arange(problem.loci)
    selected, uncovered = np.zeros(problem.loci, np.bool_), full_bitmask(problem.size)
    if first is not None:
        _add(problem.words, first, uncovered, selected)
    limit = problem.loci
    examined = _select(problem.words, sizes, problem.costs, order, RULES[rule], limit, uncovered, selected)
    return selected, int(examined)


def _select_with_lookahead(
    problem: SetCovering, rule: str, width: int, lookahead: int, looks_ahead: Iterator[bool]
) -> Generator[Incumbent, None, tuple[Genome, int]]:
    """Return the cover of the rule ``overlap`` or ``chvatal`` with look-ahead, and the number of sets examined.

    Yield before each step, because a step can take a second.
    """
    sizes, order, words = problem.incidence.sum(axis=1), np.arange(problem.loci), problem.words
    selected, uncovered, total = np.zeros(problem.loci, np.bool_), full_bitmask(problem.size), 0

    def extended(index: int) -> float:
        """Return the cost per covered element after a set and the sets of its look-ahead."""
        nonlocal total
        bits, genome = uncovered.copy(), selected.copy()
        _add(words, index, bits, genome)
        total += int(_select(words, sizes, problem.costs, order, RULES[rule], lookahead, bits, genome))
        return problem.cost(genome) / problem.covered(genome)

    while uncovered.any():
        yield Incumbent(None, float("inf"), total)
        is_uncovered = ~problem.incidence[selected].any(axis=0)
        new = problem.incidence[:, is_uncovered].sum(axis=1)
        useful = np.flatnonzero(new)
        ratios = (problem.costs if rule == "chvatal" else sizes - new)[useful] / new[useful]
        ties = -new[useful] if rule == "overlap" else useful
        best = useful[np.lexsort((ties, ratios))][: width if next(looks_ahead) else 1].tolist()
        total += problem.loci
        _add(words, min(best, key=extended), uncovered, selected)
    return selected, total


@kernel
def _select(
    words: Any, sizes: Any, costs: Any, order: Any, rule: Any, limit: Any, uncovered: Any, selected: Any
) -> Any:
    """Add at most ``limit`` sets of the cover to ``selected``, and return the number of sets examined.

    The elements of the sets are removed from ``uncovered``.
    """
    examined, added = 0, 0
    if rule == _COURSE:
        for index in order:
            examined += 1
            if intersection_size(words[index], uncovered) > 0:
                _add(words, index, uncovered, selected)
            if is_empty(uncovered):
                break
        return examined
    while added < limit and not is_empty(uncovered):
        best, best_ratio, best_new = -1, np.inf, 0
        for index in order:
            new = intersection_size(words[index], uncovered)
            if new > 0:
                ratio = (costs[index] if rule == _CHVATAL else np.float64(sizes[index] - new)) / new
                if ratio < best_ratio or (rule == _OVERLAP and ratio == best_ratio and new > best_new):
                    best, best_ratio, best_new = index, ratio, new
        examined += len(order)
        added += 1
        _add(words, best, uncovered, selected)
    return examined


@kernel
def _add(words: Any, index: Any, uncovered: Any, selected: Any) -> None:
    """Select a set and remove its elements from ``uncovered``."""
    selected[index] = True
    for i in range(len(uncovered)):
        uncovered[i] &= ~words[index, i]
