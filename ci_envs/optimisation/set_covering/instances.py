"""Instances of set covering: those of the lab's generator, of files, and of given lists."""

import random
from collections.abc import Iterable
from pathlib import Path

from ci_envs.optimisation.set_covering.or_library import read_scp
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.validation import integer_between, true_or_false


def lab_lists(n: int, seed: int = 42) -> list[list[int]]:
    """The lists of the lab's instance for ``n`` and a seed, equal to those its own ``problem(N, seed)`` makes.

    Raises:
        ValueError: ``n`` is below 5, where the lab makes empty lists, or the seed is negative.
    """
    integer_between("n", n, 5)
    rng = random.Random(integer_between("seed", seed, 0))
    count = rng.randint(n, 5 * n)
    return [sorted({rng.randint(0, n - 1) for _ in range(rng.randint(n // 5, n // 2))}) for _ in range(count)]


def set_covering(
    n: int | None = None,
    *,
    seed: int = 42,
    path: str | Path | None = None,
    lists: Iterable[Iterable[int]] | None = None,
    unit_cost: bool = False,
) -> SetCovering:
    """An instance of the lab, of a file, or of lists, as ``SetCovering-v0`` makes it.

    Args:
        n: numbers of the lab's instance; without ``path`` and ``lists``, None means 100.
        seed: of the lab's instance.
        path: of a file of the OR-Library (:func:`~ci_envs.optimisation.set_covering.or_library.read_scp`).
        lists: of numbers from 0 to the largest of them.
        unit_cost: every list costs 1.

    Raises:
        ValueError: more than one of ``n``, ``path`` and ``lists`` is given, or it is no instance.
        OSError: the file cannot be read.
    """
    true_or_false("unit_cost", unit_cost)
    given = {name: value for name, value in (("n", n), ("path", path), ("lists", lists)) if value is not None}
    if len(given) > 1:
        raise ValueError(f"give one of n, path and lists, not {' and '.join(given)}")
    if path is not None:
        problem = read_scp(path)
    elif lists is not None:
        listed = [list(one) for one in lists]
        problem = SetCovering(1 + max((number for one in listed for number in one), default=0), listed)
    else:
        size = 100 if n is None else n
        problem = SetCovering(size, lab_lists(size, seed))
    return SetCovering(problem.size, problem.lists, [1] * len(problem.lists)) if unit_cost else problem
