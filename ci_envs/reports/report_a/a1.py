"""Section A1: set covering by best-first search.

The literal version is the published algorithm of report A (:mod:`ci_envs.reports.report_a.best_first_covering`), on the
sets of its generator. The described version is our solver ``astar`` with the heuristic of report A. Our version is
``astar`` with an admissible heuristic. Both branch only on the sets of one uncovered element, and use a closed list.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ci_envs.optimisation.set_covering.instances import random_sets
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.reports.estimates import median_of
from ci_envs.reports.optimised import optimised
from ci_envs.reports.report_a.best_first_covering import best_first, cover_of
from ci_envs.reports.section_run import SectionRun, section

_ELEMENTS, _SETS, _DENSITY = 5, 10, 0.3


def _measure(run: SectionRun) -> None:
    """Cover samples of random draws by report A's search and by ours."""
    rng, draws = np.random.default_rng(run.seed), run.budget("draws")
    samples = [_sample(draws, rng) for _ in run.steps(range(run.budget("samples")))]
    unit = f"samples of {draws:,} draws"

    def add(quantity: str, statistic: Callable[[NDArray[np.float64], NDArray[np.float64]], float]) -> None:
        """Add the row of a statistic of the measurements of a column and of our column."""
        values = ([statistic(columns[column], columns[2]) for columns, _ in samples] for column in range(3))
        run.add(quantity, *(median_of(each, unit) for each in values))

    add("steps, median", lambda one, _: float(np.median(one[0])))
    add("steps, mean", lambda one, _: float(np.mean(one[0])))
    add("steps, most", lambda one, _: float(np.max(one[0])))
    add("tiles, mean", lambda one, _: float(np.mean(one[1])))
    add("covers with the fewest tiles", lambda one, ours: 100 * float(np.mean(one[1] == ours[1])))
    add("weight of the cover, mean", lambda one, _: float(np.mean(one[2])))
    run.add("draws that abort", median_of([aborted for _, aborted in samples], unit))


def _sample(draws: int, rng: np.random.Generator) -> tuple[NDArray[np.float64], float]:
    """Measure draws until ``draws`` of them cover everything.

    Returns:
        The number of steps, of tiles, and the weight, float64 (3, 3, draws), of report A's algorithm, of its heuristic
        in our solver, and of our heuristic, whose weights are the least ones; and the percentage of all draws whose
        sets do not cover everything.
    """
    measured: list[list[tuple[float, float, float]]] = []
    aborted = 0
    while len(measured) < draws:
        sets = random_sets(_ELEMENTS, _SETS, _DENSITY, int(rng.integers(2**32)))
        if len(set[int]().union(*sets)) < _ELEMENTS:
            aborted += 1
            continue
        weighted = SetCovering(_ELEMENTS, filter(None, sets))
        problem = SetCovering(_ELEMENTS, weighted.sets, [1] * weighted.loci)
        steps, cover = cover_of(sets, _ELEMENTS)
        described = optimised(problem, "astar:estimate=uncovered")
        fewest = optimised(problem, "astar:estimate=largest")
        assert cover is not None
        assert described.solution is not None
        measured.append(
            [
                (steps, len(cover), sum(len(sets[index]) for index in cover)),
                (described.work, described.value, weighted.cost(described.solution)),
                (fewest.work, fewest.value, optimised(weighted, "astar").value),
            ]
        )
    return np.array(measured, dtype=np.float64).transpose(1, 2, 0), 100 * aborted / (aborted + draws)


SECTION = section(__file__, _measure, solvers={"A1": best_first})
