"""Benchmark of greedy set covering on the lab's instance for N = 1000: compiled, and in plain Python."""

from collections.abc import Callable

from ci_envs.optimisation import lab_sets, set_covering
from ci_envs.optimisation.set_covering.greedy import greedy

_N, _WEIGHT = 1000, 2_878


def compiled() -> Callable[[], None]:
    """Return a function that computes a cover by the solver ``greedy``."""
    problem = set_covering(_N)

    def run() -> None:
        assert next(iter(greedy(problem, rule="overlap"))).value == _WEIGHT

    run()
    return run


def plain() -> Callable[[], None]:
    """Return a function that computes the same cover with Python's sets."""
    sets = [frozenset(elements) for elements in lab_sets(_N)]

    def run() -> None:
        covered: set[int] = set()
        weight = 0
        while len(covered) < _N:
            useful = (subset for subset in sets if not subset <= covered)
            best = min(
                useful, key=lambda subset: (len(subset & covered) / len(subset - covered), -len(subset - covered))
            )
            covered |= best
            weight += len(best)
        assert weight == _WEIGHT

    return run
