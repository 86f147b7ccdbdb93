"""Section A1: set covering by best-first search.

The literal version is the published algorithm of report A (:mod:`ci_envs.reports.report_a.best_first_covering`), on the
sets of its generator. The described version is our solver ``astar`` with the heuristic of report A. Our version is
``astar`` with an admissible heuristic. Both branch only on the sets of one uncovered element, and use a closed list.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.optimisation.set_covering.instances import random_sets
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Result, optimise
from ci_envs.reports.claims import Cell, Text
from ci_envs.reports.estimates import median_of
from ci_envs.reports.report_a.best_first_covering import best_first, cover_of
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, RunOptions, Section

_ELEMENTS, _SETS, _DENSITY = 5, 10, 0.3
_DRAWS, _SAMPLES = 3000, 20
_QUICK_DRAWS, _QUICK_SAMPLES = 300, 3

_FEWEST = "covers with the fewest tiles"
_NO_FIGURE = "Report A gives no figure: its program prints the steps and the tiles (sets) of one random draw."


Measured = NDArray[np.float64]


class Sample(NamedTuple):
    """Measurements of a sample of random instances, with one value for each instance that has a cover.

    Attributes:
        aborted: The percentage of all draws whose sets do not cover everything.
        literal: The number of steps, of tiles, and the weight, float64 (3, draws), of report A's algorithm.
        described: The same with report A's heuristic in our solver.
        ours: The same with our heuristic; the weights are the least ones.
    """

    aborted: float
    literal: Measured
    described: Measured
    ours: Measured


def run(options: RunOptions) -> Findings:
    """Cover samples of random draws by report A's search and by ours."""
    draws, count = (_QUICK_DRAWS, _QUICK_SAMPLES) if options.quick else (_DRAWS, _SAMPLES)
    rng, samples = np.random.default_rng(options.seed), []
    for done in range(1, count + 1):
        samples.append(_sample(draws, rng))
        options.report_progress(done / count)
    return Findings(tuple(_rows(samples, f"samples of {draws:,} draws")))


def _sample(draws: int, rng: np.random.Generator) -> Sample:
    """Measure draws until ``draws`` of them cover everything."""
    literal, described, ours = (list[tuple[float, float, float]]() for _ in range(3))
    aborted = 0
    while len(literal) < draws:
        sets = random_sets(_ELEMENTS, _SETS, _DENSITY, int(rng.integers(2**32)))
        if len(set[int]().union(*sets)) < _ELEMENTS:
            aborted += 1
            continue
        weighted = SetCovering(_ELEMENTS, filter(None, sets))
        problem = SetCovering(_ELEMENTS, weighted.sets, [1] * weighted.loci)
        steps, cover = cover_of(sets, _ELEMENTS)
        assert cover is not None
        literal.append((steps, len(cover), sum(len(sets[index]) for index in cover)))
        described.append(_measures(weighted, optimise(problem, "astar:estimate=uncovered")))
        fewest = optimise(problem, "astar:estimate=largest")
        ours.append((fewest.work, fewest.value, optimise(weighted, "astar").value))
    share = 100 * aborted / (aborted + draws)
    return Sample(share, *(np.array(measured, np.float64).T for measured in (literal, described, ours)))


def _measures(weighted: SetCovering, result: Result) -> tuple[float, float, float]:
    assert result.solution is not None
    return result.work, result.value, weighted.cost(result.solution)


def _rows(samples: Sequence[Sample], unit: str) -> Iterator[FigureRow]:
    def row(quantity: str, statistic: Callable[[Sample, Measured], float], note: str, unit_of: str = "") -> FigureRow:
        columns = ("literal", "described", "ours")
        values = [[statistic(sample, getattr(sample, name)) for sample in samples] for name in columns]
        return figure_row(quantity, None, *(median_of(each, unit) for each in values), note=note, unit=unit_of)

    median_note = f"{_NO_FIGURE} Ours expands one state more in most draws, and far fewer in the hardest."
    yield row("steps, median", lambda _, measured: float(np.median(measured[0])), median_note)
    steps_note = f"{_NO_FIGURE} Described needs fewer steps than ours, but misses the fewest tiles more often."
    yield row("steps, mean", lambda _, measured: float(np.mean(measured[0])), steps_note)
    yield row("steps, most", lambda _, measured: float(np.max(measured[0])), steps_note)
    yield row("tiles, mean", lambda _, measured: float(np.mean(measured[1])), _NO_FIGURE)
    yield row(_FEWEST, lambda sample, measured: 100 * float(np.mean(measured[1] == sample.ours[1])), _NO_FIGURE, "%")
    least = f"{_NO_FIGURE} Ours is the least weight, by astar with the size of a set as its cost."
    yield row("weight of the cover, mean", lambda _, measured: float(np.mean(measured[2])), least)
    none = f"{_NO_FIGURE} No algorithm can cover the elements of these draws."
    yield figure_row("draws that abort", None, median_of([one.aborted for one in samples], unit), note=none, unit="%")


SECTION = Section(
    name="A1",
    title="Set covering by best-first search",
    game="SetCovering-v0:n=5,count=10,density=0.3,unit_cost=true",
    purpose="Cover 5 elements with as few of 10 random tiles (sets) as possible.",
    conclusion=Text(
        "The heuristic, the number of uncovered elements, over-estimates the cost. The search still finds the fewest"
        " tiles in {:.1f}% of the draws. With an admissible heuristic it always does.",
        (Cell(_FEWEST),),
    ),
    conditions=(
        f"Each element is in each of the {_SETS} sets with probability {_DENSITY}. A sample has {_DRAWS:,} draws whose"
        f" sets cover everything ({_QUICK_DRAWS} with --quick); the interval holds the middle 95% of {_SAMPLES} samples"
        f" ({_QUICK_SAMPLES} with --quick), and the other figures are medians of the samples."
    ),
    seconds=45,
    run=run,
    solvers={"A1": best_first},
)
