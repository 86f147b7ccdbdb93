"""Section A1: set covering by best-first search.

The literal version is the published algorithm of report A (:mod:`ci_envs.reports.report_a.best_first_covering`), on the
sets of its generator. The described version is our solver ``astar`` with the heuristic of report A. Our version is
``astar`` with an admissible heuristic. Both branch only on the sets of one uncovered element, and use a closed list.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.optimisation.set_covering.instances import random_sets
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Result, optimise
from ci_envs.reports.estimates import spread_of_runs
from ci_envs.reports.report_a.best_first_covering import best_first, cover_of
from ci_envs.reports.section import FigureRow, Findings, RunOptions, Section

_ELEMENTS, _SETS, _DENSITY = 5, 10, 0.3
_DRAWS, _SAMPLES = 3000, 20
_QUICK_DRAWS, _QUICK_SAMPLES = 300, 3

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
    return Findings(tuple(_rows(samples)))


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


def _rows(samples: Sequence[Sample]) -> Iterator[FigureRow]:
    median_note = f"{_NO_FIGURE} Ours expands one state more in most draws, and far fewer in the hardest."
    yield _row("steps, median", samples, lambda measured: float(np.median(measured[0])), median_note)
    steps_note = f"{_NO_FIGURE} Described needs fewer steps than ours, but misses the fewest tiles more often."
    yield _row("steps, mean", samples, lambda measured: float(np.mean(measured[0])), steps_note)
    yield _row("steps, most", samples, lambda measured: float(np.max(measured[0])), steps_note)
    yield _row("tiles, mean", samples, lambda measured: float(np.mean(measured[1])), _NO_FIGURE)
    literal, described = (
        [100 * float(np.mean(measured[1] == sample.ours[1])) for sample, measured in pairs]
        for pairs in ([(one, one.literal) for one in samples], [(one, one.described) for one in samples])
    )
    quantity = "covers with the fewest tiles"
    yield FigureRow(quantity, None, spread_of_runs(literal), float(np.median(described)), 100.0, _NO_FIGURE, "%")
    least = f"{_NO_FIGURE} Ours is the least weight, by astar with the size of a set as its cost."
    yield _row("weight of the cover, mean", samples, lambda measured: float(np.mean(measured[2])), least)
    none = f"{_NO_FIGURE} No algorithm can cover the elements of these draws."
    aborted = spread_of_runs([sample.aborted for sample in samples])
    yield FigureRow("draws that abort", None, aborted, note=none, unit="%")


def _row(quantity: str, samples: Sequence[Sample], statistic: Callable[[Measured], float], note: str) -> FigureRow:
    """Return the row of a statistic of each sample: the spread of the literal one, and the medians of the others."""
    literal = spread_of_runs([statistic(sample.literal) for sample in samples])
    described = float(np.median([statistic(sample.described) for sample in samples]))
    ours = float(np.median([statistic(sample.ours) for sample in samples]))
    return FigureRow(quantity, None, literal, described, ours, note)


def _conclusion(rows: Mapping[str, FigureRow]) -> str:
    share = rows["covers with the fewest tiles"].literal.value
    return (
        "The heuristic, the number of uncovered elements, over-estimates the cost. The search still finds the fewest"
        f" tiles in {share:.1f}% of the draws. With an admissible heuristic it always does."
    )


SECTION = Section(
    name="A1",
    title="Set covering by best-first search",
    game="SetCovering-v0:n=5,count=10,density=0.3,unit_cost=true",
    purpose="Cover 5 elements with as few of 10 random tiles (sets) as possible.",
    conclusion=_conclusion,
    conditions=(
        f"Each element is in each of the {_SETS} sets with probability {_DENSITY}. A sample has {_DRAWS:,} draws whose"
        f" sets cover everything ({_QUICK_DRAWS} with --quick); the interval holds the middle 95% of {_SAMPLES} samples"
        f" ({_QUICK_SAMPLES} with --quick), and the other figures are medians of the samples."
    ),
    seconds=45,
    run=run,
    solvers={"A1": best_first},
)
