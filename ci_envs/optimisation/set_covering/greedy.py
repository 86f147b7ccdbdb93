"""Greedy set covering: list after list, each the best by a rule, until all is covered."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import kernel
from ci_envs.kernels.bits import popcount
from ci_envs.optimisation.problem import Genome
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Found
from ci_envs.validation import one_of

_OVERLAP, _CHVATAL, _COURSE = 0, 1, 2
RULES = {"overlap": _OVERLAP, "chvatal": _CHVATAL, "course": _COURSE}
"""The rules by their names."""


def greedy(problem: SetCovering, *, rule: str = "overlap", seed: int = 0) -> Iterator[Found]:
    """Take the best list by a rule, again and again; the work is the lists looked at.

    ``overlap`` is the rule of the report of 2022: the least ratio of numbers covered already to new ones, of equal
    lists the one with the most new numbers. ``chvatal`` takes the least cost for a new number; its covering costs at
    most H(d) times the least, where d is the length of the longest list and H(d) = 1 + 1/2 + ... + 1/d (Chvatal, "A
    greedy heuristic for the set-covering problem", Mathematics of Operations Research 4, 1979), from which comes the
    bound. ``course`` goes through the lists by their lengths and takes each that adds something. Of equals the first
    counts.

    Args:
        problem: the instance.
        rule: ``overlap``, ``chvatal`` or ``course``.
        seed: not used, as there is no luck in it.

    Raises:
        ValueError: there is no such rule.
    """
    return _covered(problem, one_of("rule", rule, RULES))


def _covered(problem: SetCovering, rule: str) -> Iterator[Found]:
    taken, looked = taken_by(problem, rule)
    cost, longest = problem.cost(taken), max(map(len, problem.lists))
    bound = cost / (1 / np.arange(1, longest + 1)).sum() if rule == "chvatal" else None
    yield Found(taken, cost, looked, bound)


def taken_by(problem: SetCovering, rule: str) -> tuple[Genome, int]:
    """``-> (taken, looked)``: the covering by a rule of :data:`RULES`, and how many lists were looked at."""
    lengths = problem.incidence.sum(axis=1)
    order = np.argsort(lengths, kind="stable") if rule == "course" else np.arange(problem.loci)
    taken = np.zeros(problem.loci, np.bool_)
    looked = cover(problem.words, lengths, problem.costs, order, RULES[rule], full_set(problem.size), taken)
    return taken, int(looked)


def full_set(size: int) -> NDArray[np.uint64]:
    """The numbers from 0 to ``size - 1`` as bits, as in :attr:`SetCovering.words`."""
    words = np.full(-(-size // 64), np.uint64(2**64 - 1))
    if size % 64:
        words[-1] = np.uint64(2 ** (size % 64) - 1)
    return words


@kernel
def cover(words: Any, lengths: Any, costs: Any, order: Any, rule: Any, bare: Any, taken: Any) -> Any:
    """``-> int``: lists looked at; those taken are marked, and ``bare``, the numbers to cover, is empty in the end."""
    looked = 0
    if rule == _COURSE:
        for number in order:
            looked += 1
            if count_common(words[number], bare) > 0:
                take(words, number, bare, taken)
            if is_empty(bare):
                break
        return looked
    while not is_empty(bare):
        best, best_ratio, best_new = -1, np.inf, 0
        for number in order:
            new = count_common(words[number], bare)
            if new > 0:
                ratio = (costs[number] if rule == _CHVATAL else np.float64(lengths[number] - new)) / new
                if ratio < best_ratio or (rule == _OVERLAP and ratio == best_ratio and new > best_new):
                    best, best_ratio, best_new = number, ratio, new
        looked += len(order)
        take(words, best, bare, taken)
    return looked


@kernel
def take(words: Any, number: Any, bare: Any, taken: Any) -> None:
    """Take a list: what it has is no longer bare."""
    taken[number] = True
    for i in range(len(bare)):
        bare[i] &= ~words[number, i]


@kernel
def count_common(one: Any, other: Any) -> Any:
    """``-> int``: how many numbers two sets have in common."""
    common = np.int64(0)
    for i in range(len(one)):
        common += np.int64(popcount(one[i] & other[i]))
    return common


@kernel
def is_empty(numbers: Any) -> Any:
    """``-> bool``: is a set empty."""
    together = np.uint64(0)
    for word in numbers:
        together |= word
    return together == np.uint64(0)
