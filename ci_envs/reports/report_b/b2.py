"""Section B2: set covering by a genetic algorithm.

The literal version has the operators of :mod:`ci_envs.reports.report_b.covering_ga`. Report B does not say the
tournament size, the mutation and the crossover; they are those of its code. The described version is our solver
``covering_genetic`` with the sizes and operators of report B as options.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from statistics import median
from typing import NamedTuple

from ci_envs.optimisation.evolution.crossover import Uniform
from ci_envs.optimisation.evolution.survival import Comma
from ci_envs.optimisation.presets import PRESETS
from ci_envs.optimisation.set_covering.covering_genetic import covering_genetic
from ci_envs.optimisation.set_covering.instances import set_covering
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import Result, optimise
from ci_envs.registry.options import options_of, read_options
from ci_envs.registry.spec import Value, option_text
from ci_envs.reports.estimates import spread_of_runs
from ci_envs.reports.report_b.covering_ga import GENERATIONS, PLAN, Variant, genetic
from ci_envs.reports.section import Claim, ClaimVerdict, FigureRow, Findings, RunOptions, Section

_FIGURES = {5: (5, 3), 10: (10, 7), 20: (24, 200), 100: (202, 200), 500: (1610, 200), 1000: (3600, 200)}
"""The weight of report B's cover and its number of generations, by N."""

_OPTIONS = read_options("B2", PRESETS["covering_genetic"]["B2"], options_of(covering_genetic))
"""The options of ``covering_genetic`` for what report B describes."""

_NO_GENERATIONS = (
    "Our solver row_weighting has no generations: its moves until its best cover are divided by the"
    f" {PLAN.offspring:,} offspring of a generation."
)
_RUNS, _EXPERIMENT_RUNS, _DESCRIBED_RUNS = 10, 5, 3
_MOVES, _QUICK_MOVES = 20_000, 500
_LARGE, _QUICK_GENERATIONS = 20, 25  # --quick shortens the runs from this N on


@dataclass(frozen=True)
class Experiment:
    """A change of the genetic algorithm of report B.

    Attributes:
        name: What is changed.
        n: The instance.
        variant: The changed algorithm.
        options: The changed options of ``covering_genetic``.
    """

    name: str
    n: int
    variant: Variant = field(default_factory=Variant)
    options: Mapping[str, Value] = field(default_factory=dict)


EXPERIMENTS = (
    *(Experiment("random start", n, Variant(ones=0.5), {"ones": 0.5}) for n in (20, 100)),
    *(Experiment("1,000 generations", n, Variant(generations=1000)) for n in (100, 500)),
    Experiment(
        "mutations decay exponentially", 100, Variant(replace(PLAN, crossover_delay=50)), {"crossover_delay": 50}
    ),
    Experiment(
        "(150, 1000) survival",
        100,
        Variant(replace(PLAN, population=150, survive=Comma())),
        {"population": 150, "survival": "comma"},
    ),
    Experiment("uniform crossover", 100, Variant(replace(PLAN, crossover=Uniform())), {"crossover": "uniform"}),
    Experiment("3,000 offspring", 100, Variant(replace(PLAN, offspring=3000)), {"offspring": 3000}),
    Experiment("scalar fitness, K = 10", 100, Variant(reward=10.0), {"reward": 10}),
)


class CoveringRun(NamedTuple):
    """The result of a run.

    Attributes:
        weight: The weight of the best cover.
        generations: The number of generations after the first population.
        different: The number of different individuals in the last population.
    """

    weight: float
    generations: int
    different: int


@dataclass(frozen=True)
class Effort:
    """The search effort of the algorithms in a run of the section.

    Attributes:
        quick: Whether to take seconds.
        seed: The first seed.
    """

    quick: bool
    seed: int

    def literal(self, problem: SetCovering, variant: Variant) -> list[CoveringRun]:
        """Return the results of some runs of report B's algorithm or of a variant."""
        limited = replace(variant, generations=self._limit(problem, variant.generations))
        runs = []
        for seed in self._seeds(_RUNS if variant == Variant() else _EXPERIMENT_RUNS):
            for state in limited.states(problem, seed):
                last = state
            different = len({genome.tobytes() for genome in last.genomes})
            runs.append(CoveringRun(problem.value(last.hall[0], 0.0), last.generation, different))
        return runs

    def described(self, problem: SetCovering, options: Mapping[str, Value], generations: int) -> tuple[float, float]:
        """Return the medians of the weight and of the number of generations of ``covering_genetic``."""
        chosen = {**_OPTIONS, **options}
        population, offspring = (int(str(chosen[name])) for name in ("population", "offspring"))
        calls = population + offspring * self._limit(problem, generations)
        spec = ",".join(f"{name}={option_text(value)}" for name, value in {**chosen, "calls": calls}.items())
        seeds = self._seeds(_DESCRIBED_RUNS)
        results = [optimise(problem, f"covering_genetic:{spec}", seed=seed) for seed in seeds]
        made = [(result.work - population) / offspring for result in results]
        return median(result.value for result in results), median(made)

    def ours(self, problem: SetCovering) -> Result:
        """Return the result of our best heuristic."""
        moves = _QUICK_MOVES if self.quick else _MOVES
        return optimise(problem, f"row_weighting:moves={moves}", seed=self.seed)

    def _seeds(self, runs: int) -> range:
        return range(self.seed, self.seed + (1 if self.quick else runs))

    def _limit(self, problem: SetCovering, generations: int) -> int:
        is_short = self.quick and problem.size >= _LARGE
        return min(generations, _QUICK_GENERATIONS) if is_short else generations


def run(options: RunOptions) -> Findings:
    """Run the genetic algorithm of report B on its instances, and the variants that its reviews propose."""
    effort = Effort(options.quick, options.seed)
    rows: list[FigureRow] = []
    problems = {n: set_covering(n, unique=True) for n in _FIGURES}
    steps = (
        *(_size_rows(effort, problem) for problem in problems.values()),
        *(_experiment_rows(effort, problems[one.n], one) for one in EXPERIMENTS),
    )
    for done, step in enumerate(steps, 1):
        rows += step
        options.report_progress(done / len(steps))
    return Findings(tuple(rows), _claims({row.quantity: row for row in rows}))


def _size_rows(effort: Effort, problem: SetCovering) -> Iterator[FigureRow]:
    n = problem.size
    weight, generations = _FIGURES[n]
    weights, made, different = zip(*effort.literal(problem, Variant()), strict=True)
    described, described_made = effort.described(problem, {}, GENERATIONS)
    found = effort.ours(problem)
    ours = found.value
    note = "No cover can be lighter than N." if ours == n else ""
    yield FigureRow(f"weight of the cover, N = {n}", weight, spread_of_runs(weights), described, ours, note)
    yield FigureRow(
        f"bloat, N = {n}",
        _bloat(weight, n),
        spread_of_runs([_bloat(one, n) for one in weights]),
        _bloat(described, n),
        _bloat(ours, n),
        note,
        "%",
    )
    yield FigureRow(
        f"generations, N = {n}",
        generations,
        spread_of_runs(made),
        described_made,
        found.history[-1][0] / PLAN.offspring,
        _NO_GENERATIONS,
        unit="generations",
    )
    yield FigureRow(
        f"different individuals at the end, N = {n}",
        None,
        spread_of_runs(different),
        note="Report B gives no figure.",
        unit="individuals",
    )


def _experiment_rows(effort: Effort, problem: SetCovering, experiment: Experiment) -> Iterator[FigureRow]:
    weights = [one.weight for one in effort.literal(problem, experiment.variant)]
    described, _ = effort.described(problem, experiment.options, experiment.variant.generations)
    quantity = f"weight, {experiment.name}, N = {experiment.n}"
    note = "Report B gives no figure: it or a review of it proposes this change."
    yield FigureRow(quantity, None, spread_of_runs(weights), described, effort.ours(problem).value, note)


def _bloat(weight: float, n: int) -> float:
    """Return by how many percent the weight of a cover exceeds N, rounded as report B rounds."""
    return round(100 * (weight - n) / n)


def _claims(rows: Mapping[str, FigureRow]) -> tuple[Claim, ...]:
    def of(quantity: str) -> str:
        value, low, high = rows[quantity].literal
        return f"{value:,.0f}" if low == high else f"{value:,.0f} ({low:,.0f} to {high:,.0f})"

    usual = of("weight of the cover, N = 100")
    return (
        Claim(
            "The covers are similar to those of the greedy algorithm.",
            ClaimVerdict.FAILS,
            "They are similar up to N = 20. For N = 1000 the weight is"
            f" {of('weight of the cover, N = 1000')}, not 2,878.",
        ),
        Claim(
            "More generations could reach the optimum.",
            ClaimVerdict.FAILS,
            f"For N = 500 the weight is {of('weight, 1,000 generations, N = 500')} with 1,000 generations and"
            f" {of('weight of the cover, N = 500')} with 200, in more runs. After 200 generations the number of"
            f" different individuals is {of('different individuals at the end, N = 500')}.",
        ),
        Claim(
            "A random start is worse than empty selections.",
            ClaimVerdict.HOLDS,
            f"For N = 100 the weight is {of('weight, random start, N = 100')} with it, and {usual} without.",
        ),
        Claim(
            "A mutation rate that decays is better (a review).",
            ClaimVerdict.UNKNOWN,
            f"For N = 100 the weight is {of('weight, mutations decay exponentially, N = 100')} with it, and {usual}"
            " without.",
        ),
        Claim(
            "A scalar fitness, K times the coverage minus weight and malus, is worse than pairs.",
            ClaimVerdict.FAILS,
            f"For N = 100 and K = 10 the weight is {of('weight, scalar fitness, K = 10, N = 100')}, and {usual} with"
            " pairs; but with K of at most 2 the search cannot leave the empty selection.",
        ),
    )


SECTION = Section(
    name="B2",
    title="Set covering by a genetic algorithm",
    game="SetCovering-v0:n=100,unique=true",
    purpose="Find lighter covers than the greedy algorithm by a genetic algorithm.",
    conclusion=(
        "From N = 100 on, the population is uniform long before the last generation and the covers are heavier than"
        " those of the greedy algorithm; a local search finds much lighter ones in less time."
    ),
    conditions=(
        "The instances are those of report B, with the seed 42 and without repeated lists. Population 1500, 1000"
        f" offspring, at most 200 generations; the interval holds the middle 95% of {_RUNS} runs ({_EXPERIMENT_RUNS} of"
        f" a changed algorithm), the described figures are medians of {_DESCRIBED_RUNS}. With --quick it is one run"
        f" each, with at most {_QUICK_GENERATIONS} generations from N = {_LARGE} on. Ours is the solver"
        f" row_weighting with {_MOVES:,} moves ({_QUICK_MOVES} with --quick)."
    ),
    seconds=240,
    run=run,
    solvers={"B2": genetic},
)
