"""Section A3: a black-box bit string by a genetic algorithm, with parents by fitness or by the number of ones.

Report A does not describe its operators and its stopping rule. The literal version has those of its code
(:mod:`ci_envs.reports.report_a.black_box_ga`). The described version is our solver ``genetic`` with the same operators.
Its early stopping uses the best fitness of all generations.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ci_envs.optimisation.bit_string.problem import BitString
from ci_envs.optimisation.solving import Result, optimise
from ci_envs.reports.claims import Cell, Claim, Text, all_of
from ci_envs.reports.estimates import median_of
from ci_envs.reports.report_a.black_box_ga import PARENTS, PATIENCE, POPULATION, by_fitness, by_ones, generations
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, Panel, Plot, RunOptions, Section, Series
from ci_envs.reports.sources import Figure, printed

_FIGURES = {
    (1, "fitness"): (0.924, 209, 261, 26_100),
    (1, "ones"): (0.921, 126, 178, 17_800),
    (2, "fitness"): (0.55, 3, 264, 26_400),
    (2, "ones"): (0.91, 201, 202, 20_200),
    (5, "fitness"): (0.227516, 2, 183, 18_300),
    (5, "ones"): (0.7149, 184, 236, 23_600),
    (10, "fitness"): (0.253724508, 29, 208, 20_800),
    (10, "ones"): (0.5242343, 91, 143, 14_300),
}
"""Report A's best fitness, the generation that reached it, and its generations and calls, by problem and parents."""

_TABLE = printed("lab 9, the results of the eight runs")

_PROBLEMS = (1, 2, 5, 10)
_RUNS = 10
_DESCRIBED = "genetic:{},preset=A3"
_MOST_CALLS = 100_000  # so that only early stopping ends the described runs

_BOX = "Parents by ones look into the box: they assume that ones are good."
_NO_GENERATIONS = "Our solver linkage has no generations: its calls are divided by the 100 calls of a generation."


_OTHER_UNITS = {"best": "", "calls": "calls"}
"""The units of the figures that are not generations."""


class BlackBoxRun(NamedTuple):
    """The figures of one run, in the order of report A's table.

    Attributes:
        best: The best fitness of all generations.
        generation: The first generation that reached it, from 0.
        generations: The number of generations.
        calls: The number of fitness calls.
    """

    best: float
    generation: float
    generations: float
    calls: float


def run(options: RunOptions) -> Findings:
    """Repeat the eight runs of report A, and solve the problems by our solvers."""
    seeds = range(options.seed, options.seed + (1 if options.quick else _RUNS))
    rows: list[FigureRow] = []
    curves: dict[tuple[int, str], list[float]] = {}
    for done, (problem, parents) in enumerate(_FIGURES, 1):
        runs = [_curve(problem, parents, seed) for seed in seeds]
        curves[problem, parents] = runs[0]
        rows += _rows(problem, parents, [_outcome(curve) for curve in runs], seeds)
        options.report_progress(done / len(_FIGURES))
    plots = tuple(_plot(parents, {problem: curves[problem, parents] for problem in _PROBLEMS}) for parents in PARENTS)
    return Findings(tuple(rows), plots)


def _curve(problem: int, parents: str, seed: int) -> list[float]:
    """Return the best fitness in each generation of a run."""
    return [float(state.fitness.max()) for state in generations(BitString(problem), parents, seed)]


def _outcome(curve: Sequence[float]) -> BlackBoxRun:
    best = max(curve)
    return BlackBoxRun(best, curve.index(best), len(curve), POPULATION * len(curve))


def _rows(problem: int, parents: str, literal: Sequence[BlackBoxRun], seeds: range) -> Iterator[FigureRow]:
    described = [_described(problem, parents, seed) for seed in seeds]
    best = [_in_generations(optimise(BitString(problem), "linkage", seed=seed)) for seed in seeds]
    for field, figure in zip(BlackBoxRun._fields, _FIGURES[problem, parents], strict=True):
        notes = [_BOX] if parents == "ones" else []
        yield figure_row(
            _quantity(field, problem, parents),
            Figure(figure, _TABLE),
            *(median_of([getattr(run, field) for run in runs]) for runs in (literal, described, best)),
            note=" ".join(notes if field in _OTHER_UNITS else [*notes, _NO_GENERATIONS]),
            unit=_OTHER_UNITS.get(field, "generations"),
        )


def _in_generations(result: Result) -> BlackBoxRun:
    """Return the figures of a solver without generations, with its calls divided by those of a generation."""
    return BlackBoxRun(result.value, result.history[-1][0] / POPULATION, result.work / POPULATION, result.work)


def _quantity(field: str, problem: int, parents: str) -> str:
    name = {"best": "best fitness", "generation": "generation of the best"}.get(field, field)
    return f"{name}, problem {problem}, parents by {parents}"


def _described(problem: int, parents: str, seed: int) -> BlackBoxRun:
    result = optimise(BitString(problem), f"{_DESCRIBED.format(parents)},calls={_MOST_CALLS}", seed=seed)
    generation = result.history[-1][0] // POPULATION - 1
    return BlackBoxRun(result.value, generation, result.work // POPULATION, result.work)


def _plot(parents: str, curves: Mapping[int, Sequence[float]]) -> Plot:
    lines = [
        Series(f"problem {problem}", tuple(map(float, range(len(curve)))), tuple(curve))
        for problem, curve in curves.items()
    ]
    heights = tuple(height / 50 for height in range(51))
    stopping = Series("start early stopping", (float(PATIENCE),) * len(heights), heights, "dots")
    return Plot(
        parents,
        f"Best fitness by generation, parents by {parents}",
        "generation",
        "best fitness",
        (Panel("", (*lines, stopping)),),
    )


def _best(parents: str, *problems: int) -> list[Cell]:
    return [Cell(_quantity("best", problem, parents)) for problem in problems]


_OTHERS = _PROBLEMS[1:]
_MUCH = 1.25  # times the fitness
_CLAIMS = (
    Claim(
        "With parents by fitness problem 1 has the best result.",
        all_of(*(_best("fitness", 1)[0] > other for other in _best("fitness", *_OTHERS))),
        "The median fitness is {:.3f} for problem 1, and {:.3f}, {:.3f} and {:.3f} for problems 2, 5 and 10.",
    ),
    Claim(
        "Parents by ones are much better on problems 2, 5 and 10.",
        all_of(
            *(
                ones > fitness * _MUCH
                for ones, fitness in zip(_best("ones", *_OTHERS), _best("fitness", *_OTHERS), strict=True)
            )
        ),
        "The medians are {:.3f}, {:.3f} and {:.3f} instead of {:.3f}, {:.3f} and {:.3f}, but this selection looks into"
        " the box: it assumes that ones are good. We take much better as 25%.",
        (*_best("ones", *_OTHERS), *_best("fitness", *_OTHERS)),
    ),
    Claim(
        "Parents by ones generally need fewer calls.",
        all_of(
            *(
                Cell(_quantity("calls", problem, "ones")) < Cell(_quantity("calls", problem, "fitness"))
                for problem in _OTHERS
            )
        ),
        "The medians for problems 2, 5 and 10 are {:,.0f}, {:,.0f} and {:,.0f} by ones and {:,.0f}, {:,.0f} and"
        " {:,.0f} by fitness; for problem 1 the two selections are the same.",
        tuple(Cell(_quantity("calls", problem, parents)) for parents in ("ones", "fitness") for problem in _OTHERS),
    ),
)


SECTION = Section(
    name="A3",
    title="A black-box bit string by a genetic algorithm",
    game="BitString-v0:problem=2",
    purpose="Maximise an unknown fitness of 1000 bits in few calls, with parents selected by fitness or by ones.",
    conclusion=Text(
        "Ten flips for each child keep the share of ones near 92%, and without an elite good genomes are lost. The high"
        " fitness of problems 2, 5 and 10 comes from ties of the interleaved strings. Linkage learning solves problems"
        " 1, 2, 5 and 10 in {:,.0f}, {:,.0f}, {:,.0f} and {:,.0f} calls without looking into the box.",
        tuple(Cell(_quantity("calls", problem, "fitness"), "ours") for problem in _PROBLEMS),
    ),
    conditions=(
        "1000 bits, population 100, a mating pool of 20, and early stopping after 50 generations; generations count"
        f" from 0. The figures are medians of {_RUNS} runs (one with --quick), and the interval holds the middle 95% of"
        " them. Ours is the solver linkage."
    ),
    seconds=70,
    run=run,
    claims=_CLAIMS,
    solvers={"A3:fitness": by_fitness, "A3:ones": by_ones},
)
