"""Section B2: set covering by a genetic algorithm.

The literal version has the operators of :mod:`ci_envs.reports.report_b.covering_ga`. Report B does not say the
tournament size, the mutation and the crossover; they are those of its code. The described version is our solver
``covering_genetic`` with the sizes and operators of report B as options.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from ci_envs.optimisation.evolution.crossover import Uniform
from ci_envs.optimisation.evolution.survival import Comma
from ci_envs.optimisation.set_covering.instances import set_covering
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.optimisation.solving import optimise
from ci_envs.registry.spec import Value, option_text
from ci_envs.reports.estimates import Estimate, median_of
from ci_envs.reports.report_b.best_covers import best_weight, bloat
from ci_envs.reports.report_b.covering_ga import GENERATIONS, PLAN, Variant, genetic
from ci_envs.reports.section_run import SectionRun, section

_SIZES = (5, 10, 20, 100, 500, 1000)
_LARGE = 20  # --quick shortens the runs from this N on


class _Experiment(NamedTuple):
    """A change of the genetic algorithm of report B.

    Attributes:
        name: What is changed.
        n: The instance.
        variant: The changed algorithm.
        options: The changed options of ``covering_genetic``.
    """

    name: str
    n: int
    variant: Variant
    options: Mapping[str, Value] = {}


def _changed(name: str, options: Mapping[str, Value], **plan: object) -> _Experiment:
    return _Experiment(name, 100, Variant(replace(PLAN, **plan)), options)  # type: ignore[arg-type]


_EXPERIMENTS = (
    *(_Experiment("random start", n, Variant(ones=0.5), {"ones": 0.5}) for n in (20, 100)),
    *(_Experiment("1,000 generations", n, Variant(generations=1000)) for n in (100, 500)),
    _changed("mutations decay exponentially", {"crossover_delay": 50}, crossover_delay=50),
    _changed("(150, 1000) survival", {"population": 150, "survival": "comma"}, population=150, survive=Comma()),
    _changed("uniform crossover", {"crossover": "uniform"}, crossover=Uniform()),
    _changed("3,000 offspring", {"offspring": 3000}, offspring=3000),
    _Experiment("scalar fitness, K = 10", 100, Variant(reward=10.0), {"reward": 10}),
)


class _CoveringRuns(NamedTuple):
    """The results of some runs of at most ``limit`` generations.

    Attributes:
        limit: The maximum number of generations.
        weights: The weight of the best cover of each run.
        generations: The number of generations of each run after the first population.
        different: The number of different individuals in the last population of each run.
    """

    limit: int
    weights: list[float]
    generations: list[int]
    different: list[int]

    def median(self, values: list[float] | list[int]) -> Estimate:
        """Return the median of a figure of the runs."""
        return median_of(values, f"runs of at most {self.limit:,} generations")


def _limit(run: SectionRun, problem: SetCovering, generations: int) -> int:
    return min(generations, run.budget("generations")) if problem.size >= _LARGE else generations


def _literal(run: SectionRun, problem: SetCovering, variant: Variant, runs: str) -> _CoveringRuns:
    """Run report B's algorithm or a variant."""
    limited = replace(variant, generations=_limit(run, problem, variant.generations))
    results = _CoveringRuns(limited.generations, [], [], [])
    for seed in run.seeds(runs):
        *_, last = limited.states(problem, seed)
        results.weights.append(problem.value(last.hall[0], 0.0))
        results.generations.append(last.generation)
        results.different.append(len({genome.tobytes() for genome in last.genomes}))
    return results


def _described(run: SectionRun, problem: SetCovering, options: Mapping[str, Value], generations: int) -> _CoveringRuns:
    """Run ``covering_genetic`` with the options of report B."""
    limit = _limit(run, problem, generations)
    population = int(str(options.get("population", PLAN.population)))
    offspring = int(str(options.get("offspring", PLAN.offspring)))
    chosen = {"preset": "B2", **options, "calls": population + offspring * limit}
    spec = ",".join(f"{name}={option_text(value)}" for name, value in chosen.items())
    found = [optimise(problem, f"covering_genetic:{spec}", seed=seed) for seed in run.seeds("described_runs")]
    return _CoveringRuns(
        limit, [one.value for one in found], [(one.work - population) // offspring for one in found], []
    )


def _measure_sizes(run: SectionRun) -> None:
    for n in run.steps(_SIZES):
        problem = set_covering(n, unique=True)
        best, greedy = best_weight(problem, run), optimise(problem, "greedy:rule=overlap").value
        literal = _literal(run, problem, Variant(), "runs")
        both = literal, _described(run, problem, {}, GENERATIONS)
        run.add(f"weight of the cover, N = {n}", *(one.median(one.weights) for one in both), best)
        bloats = (one.median([bloat(weight, n) for weight in one.weights]) for one in both)
        run.add(f"bloat, N = {n}", *bloats, Estimate.exact(bloat(best.value, n))._replace(sample=best.sample))
        search = optimise(problem, f"row_weighting:moves={run.budget('moves_of_one')}", seed=run.seed)
        sample = f"1 run of {run.budget('moves_of_one'):,} moves"
        ours = Estimate.single(search.history[-1][0] / PLAN.offspring, sample)
        run.add(f"generations, N = {n}", *(one.median(one.generations) for one in both), ours)
        run.add(f"different individuals at the end, N = {n}", literal.median(literal.different))
        run.add(f"weight of the greedy cover, N = {n}", greedy, greedy, best)


def _measure_experiments(run: SectionRun) -> None:
    for name, n, variant, options in run.steps(_EXPERIMENTS):
        if run.quick and variant.generations > GENERATIONS:
            continue  # a quick run cannot afford it
        problem = set_covering(n, unique=True)
        literal = _literal(run, problem, variant, "experiment_runs")
        described = _described(run, problem, options, variant.generations)
        weights = (one.median(one.weights) for one in (literal, described))
        run.add(f"weight, {name}, N = {n}", *weights, run.row(f"weight of the cover, N = {n}").ours)


SECTION = section(__file__, _measure_sizes, _measure_experiments, solvers={"B2": genetic})
