"""Section B2: set covering by a genetic algorithm.

The literal version has the operators of :mod:`ci_envs.reports.report_b.covering_ga`. Report B does not say the
tournament size, the mutation and the crossover; they are those of its code. The described version is our solver
``covering_genetic`` with the sizes and operators of report B as options.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ci_envs.optimisation.evolution.crossover import Uniform
from ci_envs.optimisation.evolution.survival import Comma
from ci_envs.optimisation.presets import PRESETS
from ci_envs.optimisation.set_covering.covering_genetic import covering_genetic
from ci_envs.optimisation.set_covering.instances import set_covering
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import optimise
from ci_envs.registry.options import options_of, read_options
from ci_envs.registry.spec import Value, option_text
from ci_envs.reports.claims import Cell, Claim, Text, all_of
from ci_envs.reports.estimates import Estimate, median_of
from ci_envs.reports.report_b.best_covers import CONDITIONS, best_weight
from ci_envs.reports.report_b.covering_ga import GENERATIONS, PLAN, Variant, genetic
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, RunOptions, Section
from ci_envs.reports.sources import Figure, printed

_FIGURES = {5: (5, 3), 10: (10, 7), 20: (24, 200), 100: (202, 200), 500: (1610, 200), 1000: (3600, 200)}
"""The weight of report B's cover and its number of generations, by N."""

_TABLE = printed("lab 2, the results of the genetic algorithm")

_OPTIONS = read_options("B2", PRESETS["covering_genetic"]["B2"], options_of(covering_genetic))
"""The options of ``covering_genetic`` for what report B describes."""

_ONE_RUN = 20_000  # moves
_NO_GENERATIONS = (
    "Our solver row_weighting has no generations: its moves until its best cover are divided by the"
    f" {PLAN.offspring:,} offspring of a generation."
)
_RUNS, _EXPERIMENT_RUNS, _DESCRIBED_RUNS = 10, 6, 3
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
        options: The options of the run.
    """

    options: RunOptions

    def literal(self, problem: SetCovering, variant: Variant) -> list[CoveringRun]:
        """Return the results of some runs of report B's algorithm or of a variant."""
        limited = replace(variant, generations=self.limit(problem, variant.generations))
        runs = []
        for seed in self._seeds(_RUNS if variant == Variant() else _EXPERIMENT_RUNS):
            for state in limited.states(problem, seed):
                last = state
            different = len({genome.tobytes() for genome in last.genomes})
            runs.append(CoveringRun(problem.value(last.hall[0], 0.0), last.generation, different))
        return runs

    def described(self, problem: SetCovering, options: Mapping[str, Value], generations: int) -> list[CoveringRun]:
        """Return the results of some runs of ``covering_genetic``."""
        chosen = {**_OPTIONS, **options}
        population, offspring = (int(str(chosen[name])) for name in ("population", "offspring"))
        calls = population + offspring * self.limit(problem, generations)
        spec = ",".join(f"{name}={option_text(value)}" for name, value in {**chosen, "calls": calls}.items())
        results = [optimise(problem, f"covering_genetic:{spec}", seed=seed) for seed in self._seeds(_DESCRIBED_RUNS)]
        return [CoveringRun(one.value, (one.work - population) // offspring, 0) for one in results]

    def median(self, problem: SetCovering, runs: Sequence[float], generations: int = GENERATIONS) -> Estimate:
        """Return the median of a figure over runs of at most as many generations."""
        return median_of(runs, f"runs of at most {self.limit(problem, generations):,} generations")

    def limit(self, problem: SetCovering, generations: int) -> int:
        """Return the number of generations of a run, which is smaller for large instances with --quick."""
        is_short = self.options.quick and problem.size >= _LARGE
        return min(generations, _QUICK_GENERATIONS) if is_short else generations

    def _seeds(self, runs: int) -> range:
        return range(self.options.seed, self.options.seed + (1 if self.options.quick else runs))


def run(options: RunOptions) -> Findings:
    """Run the genetic algorithm of report B on its instances, and the variants that its reviews propose."""
    effort = Effort(options)
    problems = {n: set_covering(n, unique=True) for n in _FIGURES}
    best = {n: best_weight(problem, options) for n, problem in problems.items()}
    return Findings(tuple(_rows(effort, problems, best, options)))


def _rows(
    effort: Effort, problems: Mapping[int, SetCovering], best: Mapping[int, Estimate], options: RunOptions
) -> Iterator[FigureRow]:
    steps = len(problems) + len(EXPERIMENTS)
    for done, (n, problem) in enumerate(problems.items(), 1):
        yield from _size_rows(effort, problem, best[n])
        options.report_progress(done / steps)
    for done, experiment in enumerate(EXPERIMENTS, len(problems) + 1):
        if not (options.quick and experiment.variant.generations > GENERATIONS):  # a quick run cannot afford it
            yield _experiment_row(effort, problems[experiment.n], experiment, best[experiment.n])
        options.report_progress(done / steps)


def _size_rows(effort: Effort, problem: SetCovering, best: Estimate) -> Iterator[FigureRow]:
    n = problem.size
    weight, generations = _FIGURES[n]
    literal, described = effort.literal(problem, Variant()), effort.described(problem, {}, GENERATIONS)
    runs = literal, described
    note = "No cover can be lighter than N." if best.value == n else ""
    weights = (effort.median(problem, [one.weight for one in found]) for found in runs)
    yield figure_row(_weight(n), Figure(weight, _TABLE), *weights, best, note=note)
    bloats = (effort.median(problem, [_bloat(one.weight, n) for one in found]) for found in runs)
    ours = Estimate.exact(_bloat(best.value, n))._replace(sample=best.sample)
    yield figure_row(f"bloat, N = {n}", Figure(_bloat(weight, n), _TABLE), *bloats, ours, note=note, unit="%")
    made = (effort.median(problem, [one.generations for one in found]) for found in runs)
    search = optimise(problem, f"row_weighting:moves={_ONE_RUN}", seed=effort.options.seed)
    single = Estimate.single(search.history[-1][0] / PLAN.offspring, f"1 run of {_ONE_RUN:,} moves")
    unit = "generations"
    yield figure_row(
        f"generations, N = {n}", Figure(generations, _TABLE), *made, single, note=_NO_GENERATIONS, unit=unit
    )
    different = effort.median(problem, [one.different for one in literal])
    note = "Report B gives no figure."
    yield figure_row(f"different individuals at the end, N = {n}", None, different, note=note, unit="individuals")
    greedy = Estimate.exact(optimise(problem, "greedy:rule=overlap").value)
    yield figure_row(_greedy(n), None, greedy, greedy, best, note="The algorithm of B1, for the comparison.")


def _experiment_row(effort: Effort, problem: SetCovering, experiment: Experiment, best: Estimate) -> FigureRow:
    generations = experiment.variant.generations
    runs = (
        effort.literal(problem, experiment.variant),
        effort.described(problem, experiment.options, generations),
    )
    weights = (effort.median(problem, [one.weight for one in found], generations) for found in runs)
    note = "Report B gives no figure: it or a review of it proposes this change."
    return figure_row(f"weight, {experiment.name}, N = {experiment.n}", None, *weights, best, note=note)


def _bloat(weight: float, n: int) -> float:
    """Return by how many percent the weight of a cover exceeds N, rounded as report B rounds."""
    return round(100 * (weight - n) / n)


def _weight(n: int) -> str:
    return f"weight of the cover, N = {n}"


def _greedy(n: int) -> str:
    return f"weight of the greedy cover, N = {n}"


_SIMILAR = 1.05  # times the weight
_MORE = "weight, 1,000 generations, N = {}"
_CLAIMS = (
    Claim(
        "The covers are similar to those of the greedy algorithm.",
        all_of(*(Cell(_weight(n)) <= Cell(_greedy(n)) * _SIMILAR for n in _FIGURES)),
        "They are similar up to N = 20. For N = 1000 the weight is {:,.0f}, and that of the greedy algorithm {:,.0f}."
        " We call at most 5% more similar.",
        (Cell(_weight(1000)), Cell(_greedy(1000))),
    ),
    Claim(
        "More generations could reach the optimum.",
        all_of(*(Cell(_MORE.format(n)) <= Cell(_weight(n), "ours") for n in (100, 500))),
        "For N = 500 the weight is {:,.0f} with 1,000 generations and {:,.0f} with 200, and we know a cover of"
        " {:,.0f}. After 200 generations {:.0f} different individuals are left.",
        (
            Cell(_MORE.format(500)),
            Cell(_weight(500)),
            Cell(_weight(500), "ours"),
            Cell("different individuals at the end, N = 500"),
        ),
    ),
    Claim(
        "A random start is worse than empty selections.",
        Cell("weight, random start, N = 100") > Cell(_weight(100)),
        "For N = 100 the weight is {:,.0f} with it, and {:,.0f} without.",
    ),
    Claim(
        "A mutation rate that decays is better (a review).",
        Cell("weight, mutations decay exponentially, N = 100") < Cell(_weight(100)),
        "For N = 100 the weight is {:,.0f} without it, and {:,.0f} with it.",
    ),
    Claim(
        "A scalar fitness, K times the coverage minus weight and malus, is worse than pairs.",
        Cell("weight, scalar fitness, K = 10, N = 100") > Cell(_weight(100)),
        "For N = 100 and K = 10 the weight is {:,.0f}, and {:,.0f} with pairs; with K of at most 2 the search cannot"
        " leave the empty selection.",
    ),
)


SECTION = Section(
    name="B2",
    title="Set covering by a genetic algorithm",
    game="SetCovering-v0:n=100,unique=true",
    purpose="Find lighter covers than the greedy algorithm by a genetic algorithm.",
    conclusion=Text(
        "From N = 100 on, the population is uniform long before the last generation and the covers are heavier than"
        " those of the greedy algorithm; a local search finds much lighter ones in less time."
    ),
    conditions=(
        "The instances are those of report B, with the seed 42 and without repeated lists. Population 1500, 1000"
        f" offspring, at most 200 generations; the interval holds the middle 95% of {_RUNS} runs ({_EXPERIMENT_RUNS} of"
        f" a changed algorithm). The figures are medians, the described ones of {_DESCRIBED_RUNS}. With --quick it is"
        f" one run each, with at most {_QUICK_GENERATIONS} generations from N = {_LARGE} on."
        f" {CONDITIONS}"
    ),
    seconds=240,
    run=run,
    claims=_CLAIMS,
    solvers={"B2": genetic},
)
