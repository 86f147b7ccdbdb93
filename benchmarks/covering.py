"""Benchmark of greedy set covering on the lab's instance for N = 1000: compiled, and in plain Python."""

from collections.abc import Callable

from ci_envs.optimisation import lab_sets, set_covering
from ci_envs.optimisation.set_covering.greedy import greedy

_N, _WEIGHT = 1000, 2_878


def compiled() -> Callable[[], None]:
    """A covering by the solver ``greedy``."""
    problem = set_covering(_N)

    def run() -> None:
        assert next(iter(greedy(problem))).value == _WEIGHT

    run()
    return run


def plain() -> Callable[[], None]:
    """The same with Python's sets."""
    lists = [frozenset(one) for one in lab_sets(_N)]

    def run() -> None:
        covered: set[int] = set()
        weight = 0
        while len(covered) < _N:
            useful = (one for one in lists if not one <= covered)
            best = min(useful, key=lambda one: (len(one & covered) / len(one - covered), -len(one - covered)))
            covered |= best
            weight += len(best)
        assert weight == _WEIGHT

    return run
