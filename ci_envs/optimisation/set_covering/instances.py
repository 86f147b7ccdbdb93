"""Set covering instances: those of the lab's generator, those of files, and given sets."""

import random
from collections.abc import Iterable
from pathlib import Path

from ci_envs.optimisation.set_covering.or_library import read_scp
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.validation import integer_between, true_or_false


def lab_sets(n: int, seed: int = 42) -> list[list[int]]:
    """Return the sets of the lab's instance, equal to those of the lab's own ``problem(N, seed)``.

    Args:
        n: the number of elements, 5 or more.
        seed: the seed of the lab's generator, 0 or more.

    Raises:
        ValueError: ``n`` is below 5, for which the lab makes empty sets, or the seed is negative.
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
    sets: Iterable[Iterable[int]] | None = None,
    unit_cost: bool = False,
) -> SetCovering:
    """Make an instance of the lab, from a file, or from sets; ``SetCovering-v0`` has the same parameters.

    Args:
        n: the number of elements of the lab's instance; None means 100 if ``path`` and ``sets`` are not given.
        seed: the seed of the lab's instance.
        path: a file of the OR-Library (:func:`~ci_envs.optimisation.set_covering.or_library.read_scp`).
        sets: the elements of each set; the elements are the numbers from 0 to the largest one given.
        unit_cost: whether every set costs 1.

    Raises:
        ValueError: more than one of ``n``, ``path`` and ``sets`` is given, or one of them makes no valid instance.
        OSError: the file cannot be read.
    """
    true_or_false("unit_cost", unit_cost)
    given = {name: value for name, value in (("n", n), ("path", path), ("sets", sets)) if value is not None}
    if len(given) > 1:
        raise ValueError(f"give one of n, path and sets, not {' and '.join(given)}")
    if path is not None:
        problem = read_scp(path)
    elif sets is not None:
        listed = [list(elements) for elements in sets]
        problem = SetCovering(1 + max((element for elements in listed for element in elements), default=0), listed)
    else:
        size = 100 if n is None else n
        problem = SetCovering(size, lab_sets(size, seed))
    return SetCovering(problem.size, problem.sets, [1] * len(problem.sets)) if unit_cost else problem
