"""Section A3: a black-box bit string by a genetic algorithm, with parents by fitness or by the number of ones.

Report A does not describe its operators and its stopping rule. The literal version has those of its code
(:mod:`ci_envs.reports.report_a.black_box_ga`). The described version is our solver ``genetic`` with the same operators.
Its early stopping uses the best fitness of all generations.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from ci_envs.optimisation.bit_string.problem import BitString
from ci_envs.optimisation.solving import Result, optimise
from ci_envs.reports.estimates import spread_of_runs
from ci_envs.reports.report_a.black_box_ga import PARENTS, PATIENCE, POPULATION, by_fitness, by_ones, generations
from ci_envs.reports.section import (
    Claim,
    ClaimVerdict,
    FigureRow,
    Findings,
    Panel,
    Plot,
    RunOptions,
    Section,
    Series,
)

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
    return Findings(tuple(rows), _claims({row.quantity: row for row in rows}), plots)


def _curve(problem: int, parents: str, seed: int) -> list[float]:
    """Return the best fitness in each generation of a run."""
    return [float(state.fitness.max()) for state in generations(BitString(problem), parents, seed)]


def _outcome(curve: Sequence[float]) -> BlackBoxRun:
    best = max(curve)
    return BlackBoxRun(best, curve.index(best), len(curve), POPULATION * len(curve))


def _rows(problem: int, parents: str, literal: Sequence[BlackBoxRun], seeds: range) -> Iterator[FigureRow]:
    described = [_described(problem, parents, seed) for seed in seeds]
    ours = [optimise(BitString(problem), "linkage", seed=seed) for seed in seeds]
    best = [_in_generations(result) for result in ours]
    for field, figure in zip(BlackBoxRun._fields, _FIGURES[problem, parents], strict=True):
        notes = [_BOX] if parents == "ones" else []
        yield FigureRow(
            _quantity(field, problem, parents),
            figure,
            spread_of_runs([getattr(outcome, field) for outcome in literal]),
            median(getattr(outcome, field) for outcome in described),
            median(getattr(outcome, field) for outcome in best),
            " ".join(notes if field in _OTHER_UNITS else [*notes, _NO_GENERATIONS]),
            _OTHER_UNITS.get(field, "generations"),
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


def _claims(rows: Mapping[str, FigureRow]) -> tuple[Claim, ...]:
    def medians(field: str, parents: str, *problems: int) -> str:
        values = [rows[_quantity(field, problem, parents)].literal.value for problem in problems]
        return ", ".join(f"{value:,.0f}" if field == "calls" else f"{value:.3f}" for value in values)

    others = _PROBLEMS[1:]
    return (
        Claim(
            "With parents by fitness problem 1 has the best result.",
            ClaimVerdict.HOLDS,
            f"The median fitness is {medians('best', 'fitness', 1)} for problem 1, and"
            f" {medians('best', 'fitness', *others)} for problems 2, 5 and 10.",
        ),
        Claim(
            "Parents by ones are much better on problems 2, 5 and 10.",
            ClaimVerdict.HOLDS,
            f"The medians are {medians('best', 'ones', *others)} instead of {medians('best', 'fitness', *others)}, but"
            " this selection looks into the box: it assumes that ones are good.",
        ),
        Claim(
            "Parents by ones generally need fewer calls.",
            ClaimVerdict.UNKNOWN,
            f"The medians for problems 1, 2, 5 and 10 are {medians('calls', 'ones', *_PROBLEMS)} by ones and"
            f" {medians('calls', 'fitness', *_PROBLEMS)} by fitness, well within the spread of the runs; for problem 1"
            " the two selections are the same.",
        ),
    )


def _conclusion(rows: Mapping[str, FigureRow]) -> str:
    calls = [row.ours for name, row in rows.items() if name.startswith("calls") and row.ours is not None]
    return (
        "Ten flips for each child keep the share of ones near 92%, and without an elite good genomes are lost. The high"
        " fitness of problems 2, 5 and 10 comes from ties of the interleaved strings. Linkage learning solves all"
        f" problems in {min(calls):,.0f} to {max(calls):,.0f} calls without looking into the box."
    )


SECTION = Section(
    name="A3",
    title="A black-box bit string by a genetic algorithm",
    game="BitString-v0:problem=2",
    purpose="Maximise an unknown fitness of 1000 bits in few calls, with parents selected by fitness or by ones.",
    conclusion=_conclusion,
    conditions=(
        "1000 bits, population 100, a mating pool of 20, and early stopping after 50 generations; generations count"
        f" from 0. The figures are medians of {_RUNS} runs (one with --quick), and the interval holds the middle 95% of"
        " them. Ours is the solver linkage."
    ),
    seconds=70,
    run=run,
    solvers={"A3:fitness": by_fitness, "A3:ones": by_ones},
)
