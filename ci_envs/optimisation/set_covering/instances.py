"""Set covering instances: those of the lab's generator, those of files, and given sets."""

import random
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

from ci_envs.optimisation.set_covering.or_library import LAYOUTS, read_scp
from ci_envs.optimisation.set_covering.problem import SetCovering, listed_sets
from ci_envs.registry.options import Option, validated
from ci_envs.validation import integer_between, probability

_SEED = 42


def lab_sets(n: int, seed: int = _SEED) -> list[list[int]]:
    """Return the sets of the lab's instance, equal to those of the lab's own ``problem(N, seed)``.

    Args:
        n: the number of elements, 5 or more.
        seed: the seed of the lab's generator, 0 or more.

    Raises:
        ValueError: ``n`` is below 5, for which the lab makes empty sets, or the seed is negative.

    Examples:
        >>> from ci_envs.optimisation import lab_sets
        >>> len(lab_sets(5))
        25
    """
    integer_between("n", n, 5)
    rng = random.Random(integer_between("seed", seed, 0))
    count = rng.randint(n, 5 * n)
    return [sorted(set(islice(_elements(n, rng), rng.randint(n // 5, n // 2)))) for _ in range(count)]


def _elements(n: int, rng: random.Random) -> Iterator[int]:
    """Yield the numbers that ``rng.randint(0, n - 1)`` returns, in a third of the time."""
    draw, bits = rng.getrandbits, n.bit_length()
    while True:
        if (element := draw(bits)) < n:
            yield element


def random_sets(n: int, count: int, density: float, seed: int = _SEED) -> list[list[int]]:
    """Return random sets: each element is in each set with probability ``density``. A set can be empty.

    Args:
        n: the number of elements, 1 or more.
        count: the number of sets, 1 or more.
        density: the probability, from 0 to 1.
        seed: the seed of the random numbers, 0 or more.

    Raises:
        ValueError: a value is out of range.
    """
    integer_between("n", n, 1)
    integer_between("count", count, 1)
    probability("density", density)
    rng = random.Random(integer_between("seed", seed, 0))
    return [[element for element in range(n) if rng.random() < density] for _ in range(count)]


@validated
def set_covering(
    n: Annotated[int | None, Option("number of elements; none is 100 if path and sets are not given")] = None,
    *,
    seed: Annotated[int, Option("seed of the lab's instance or of the random sets", ge=0)] = _SEED,
    density: Annotated[
        float | None,
        Option(
            "makes random sets instead of those of the lab: the probability of each element in each set; empty sets "
            "are left out, because no cover needs them",
            ge=0,
            le=1,
        ),
    ] = None,
    count: Annotated[
        int | None, Option("number of random sets, before empty sets are left out; none is 2 * n", ge=1)
    ] = None,
    path: Annotated[str | Path | None, Option("file of the OR-Library", allowed="a path")] = None,
    layout: Annotated[
        str | None, Option("what the file lists; none is what it has, and a few files fit both", choices=LAYOUTS)
    ] = None,
    sets: Annotated[
        Iterable[Iterable[int]] | None,
        Option(
            "elements of each set; the elements are the numbers from 0 to the largest one",
            allowed="lists of whole numbers, in Python only",
        ),
    ] = None,
    unique: Annotated[
        bool, Option("whether sets with the same elements become one set, at the least of their costs")
    ] = False,
    unit_cost: Annotated[bool, Option("whether every set costs 1")] = False,
) -> SetCovering:
    """Make an instance of the lab, a random one, one of a file, or one of given sets.

    The parameters are those of ``SetCovering-v0``.
    ``SetCovering-v0:n=5,count=10,density=0.3,unit_cost=true`` is a small instance.

    Raises:
        ValueError: more than one of ``n``, ``path`` and ``sets`` is given, or one of them makes no valid instance.
        OSError: the file cannot be read.

    Examples:
        >>> from ci_envs.optimisation import set_covering
        >>> len(set_covering(20).sets)
        34
    """
    given = {name: value for name, value in (("n", n), ("path", path), ("sets", sets)) if value is not None}
    if len(given) > 1:
        raise ValueError(f"give one of n, path and sets, not {' and '.join(given)}")
    if count is not None and density is None:
        raise ValueError(f"count={count} is the number of random sets: give their density too")
    if density is not None and (path is not None or sets is not None):
        raise ValueError(f"density={density} is for random sets: leave out path and sets")
    if layout is not None and path is None:
        raise ValueError(f"layout={layout} is for a file: give its path too")
    if seed != _SEED and (path is not None or sets is not None):
        raise ValueError(f"seed={seed} is for random sets: leave out path and sets")
    if path is not None:
        problem = read_scp(path, layout)
    elif sets is not None:
        listed = listed_sets(sets)
        known = [integer_between("an element of a set", element, 0) for elements in listed for element in elements]
        problem = SetCovering(1 + max(known, default=0), listed)
    else:
        problem = _generated(100 if n is None else n, seed, density, count)
    return _changed(problem, unique, unit_cost) if unique or unit_cost else problem


def _generated(n: int, seed: int, density: float | None, count: int | None) -> SetCovering:
    if density is None:
        return SetCovering(n, lab_sets(n, seed))
    return SetCovering(n, filter(None, random_sets(n, 2 * n if count is None else count, density, seed)))


def _changed(problem: SetCovering, unique: bool, unit_cost: bool) -> SetCovering:
    """Return an instance without repeated sets, or with costs of 1."""
    sets, costs = list(problem.sets), problem.costs.tolist()
    if unique:
        least: dict[tuple[int, ...], float] = {}
        for elements, cost in zip(sets, costs, strict=True):
            least[elements] = min(cost, least.get(elements, cost))
        sets, costs = list(least), list(least.values())
    return SetCovering(problem.size, sets, [1] * len(sets) if unit_cost else costs)
