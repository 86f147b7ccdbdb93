"""Section A3: a black-box bit string by a genetic algorithm, with parents by fitness or by the number of ones.

Report A does not describe its operators and its stopping rule. The literal version has those of its code
(:mod:`ci_envs.reports.report_a.black_box_ga`). The described version is our solver ``genetic`` with the same operators.
Its early stopping uses the best fitness of all generations.
"""

from collections.abc import Sequence
from functools import partial

from ci_envs.optimisation.bit_string.problem import BitString
from ci_envs.optimisation.solving import Result
from ci_envs.reports.estimates import median_of
from ci_envs.reports.optimised import optimised
from ci_envs.reports.report_a.black_box_ga import PARENTS, PATIENCE, POPULATION, black_box, generations
from ci_envs.reports.section import Panel, Plot, Series
from ci_envs.reports.section_run import SectionRun, section

_PROBLEMS = (1, 2, 5, 10)
_MOST_CALLS = 100_000  # so that only early stopping ends the described runs
_QUANTITIES = ("best fitness", "generation of the best", "generations", "calls")


Figures = tuple[float, float, float, float]
"""The figures of one run, in the order of :data:`_QUANTITIES`. Generations are counted from 0."""


def _measure(run: SectionRun) -> None:
    """Repeat the eight runs of report A, and solve the problems by our solvers."""
    seeds, curves = run.seeds("runs"), {}
    for problem, parents in run.steps([(problem, parents) for problem in _PROBLEMS for parents in PARENTS]):
        box = BitString(problem)
        repeated = [
            [float(state.fitness.max()) for state in generations(BitString(problem), parents, seed)] for seed in seeds
        ]
        curves[problem, parents] = repeated[0]
        spec = f"genetic:{parents},preset=A3,calls={_MOST_CALLS}"
        columns = (
            [_outcome(curve) for curve in repeated],
            [_described(optimised(box, spec, seed=seed)) for seed in seeds],
            [_in_generations(optimised(box, "linkage", seed=seed)) for seed in seeds],
        )
        for place, quantity in enumerate(_QUANTITIES):
            medians = (median_of([one[place] for one in runs]) for runs in columns)
            run.add(f"{quantity}, problem {problem}, parents by {parents}", *medians)
    for parents in PARENTS:
        lines = [Series.curve(f"problem {problem}", curves[problem, parents]) for problem in _PROBLEMS]
        heights = tuple(height / 50 for height in range(51))
        stopping = Series("start early stopping", (float(PATIENCE),) * len(heights), heights, "dots")
        quantities = ("generation of the best", "best fitness")
        printed = ((run.figure(f"{one}, problem {n}, parents by {parents}") for n in _PROBLEMS) for one in quantities)
        x, y = (tuple(one for one in each if one is not None) for each in printed)
        points = Series("best, printed", x, y, "marks")
        title = f"Best fitness by generation, parents by {parents}"
        run.plots.append(Plot(parents, title, "generation", "best fitness", (Panel("", (*lines, stopping, points)),)))


def _outcome(curve: Sequence[float]) -> Figures:
    best = max(curve)
    return best, curve.index(best), len(curve), POPULATION * len(curve)


def _described(result: Result) -> Figures:
    return result.value, result.history[-1][0] // POPULATION - 1, result.work // POPULATION, result.work


def _in_generations(result: Result) -> Figures:
    """Return the figures of a solver without generations, with its calls divided by those of a generation."""
    return result.value, result.history[-1][0] / POPULATION, result.work / POPULATION, result.work


SECTION = section(
    __file__, _measure, solvers={f"A3:{parents}": partial(black_box, parents=parents) for parents in PARENTS}
)
