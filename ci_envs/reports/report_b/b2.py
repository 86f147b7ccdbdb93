"""Section B2: set covering by a genetic algorithm.

The literal version has the operators of :mod:`ci_envs.reports.report_b.covering_ga`. Report B does not say the
tournament size, the mutation and the crossover; they are those of its code. The described version is our solver
``covering_genetic`` with the sizes and operators of report B as options.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ci_envs.optimisation.set_covering.instances import set_covering
from ci_envs.optimisation.set_covering.problem import SetCovering
from ci_envs.registry.spec import option_text
from ci_envs.reports.estimates import Estimate, median_of
from ci_envs.reports.optimised import optimised
from ci_envs.reports.report_b.best_covers import best_weight, bloat
from ci_envs.reports.report_b.covering_ga import GENERATIONS, OPTIONS, genetic, states
from ci_envs.reports.section_run import SectionRun, section

_SIZES = (5, 10, 20, 100, 500, 1000)
_LARGE = 20  # --quick shortens the runs from this N on


_Changes = Mapping[str, Any]
"""Changed options of ``covering_genetic``."""

_EXPERIMENTS: tuple[tuple[str, int, int, _Changes], ...] = (
    ("random start", 20, GENERATIONS, {"ones": 0.5}),
    ("random start", 100, GENERATIONS, {"ones": 0.5}),
    ("1,000 generations", 100, 1000, {}),
    ("1,000 generations", 500, 1000, {}),
    ("mutations decay exponentially", 100, GENERATIONS, {"crossover_delay": 50}),
    ("(150, 1000) survival", 100, GENERATIONS, {"population": 150, "survival": "comma"}),
    ("uniform crossover", 100, GENERATIONS, {"crossover": "uniform"}),
    ("3,000 offspring", 100, GENERATIONS, {"offspring": 3000}),
    ("scalar fitness, K = 10", 100, GENERATIONS, {"reward": 10}),
)
"""The experiments of reviews and of report B: the change, the instance N, the generations, and the changed options."""


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


def _literal(run: SectionRun, problem: SetCovering, changes: _Changes, generations: int, runs: str) -> _CoveringRuns:
    """Run report B's algorithm, or a variant of it."""
    results = _CoveringRuns(_limit(run, problem, generations), [], [], [])
    for seed in run.seeds(runs):
        *_, last = states(problem, seed, replace(OPTIONS, **changes), results.limit)
        results.weights.append(problem.value(last.hall[0], 0.0))
        results.generations.append(last.generation)
        results.different.append(len({genome.tobytes() for genome in last.genomes}))
    return results


def _described(run: SectionRun, problem: SetCovering, changes: _Changes, generations: int) -> _CoveringRuns:
    """Run ``covering_genetic`` with the options of report B, or with changed ones."""
    limit, options = _limit(run, problem, generations), replace(OPTIONS, **changes)
    chosen = {"preset": "B2", **changes, "calls": options.population + options.offspring * limit}
    spec = ",".join(f"{name}={option_text(value)}" for name, value in chosen.items())
    found = [optimised(problem, f"covering_genetic:{spec}", seed=seed) for seed in run.seeds("described_runs")]
    lengths = [(one.work - options.population) // options.offspring for one in found]
    return _CoveringRuns(limit, [one.value for one in found], lengths, [])


def _measure_sizes(run: SectionRun) -> None:
    for n in run.steps(_SIZES):
        problem = set_covering(n, unique=True)
        best, greedy = best_weight(problem, run), optimised(problem, "greedy:rule=overlap").value
        literal = _literal(run, problem, {}, GENERATIONS, "runs")
        both = literal, _described(run, problem, {}, GENERATIONS)
        run.add(f"weight of the cover, N = {n}", *(one.median(one.weights) for one in both), best)
        bloats = (one.median([bloat(weight, n) for weight in one.weights]) for one in both)
        run.add(f"bloat, N = {n}", *bloats, Estimate.exact(bloat(best.value, n))._replace(sample=best.sample))
        search = optimised(problem, f"row_weighting:moves={run.budget('moves_of_one')}", seed=run.seed)
        sample = f"1 run of {run.budget('moves_of_one'):,} moves"
        ours = Estimate.single(search.history[-1][0] / OPTIONS.offspring, sample)
        run.add(f"generations, N = {n}", *(one.median(one.generations) for one in both), ours)
        run.add(f"different individuals at the end, N = {n}", literal.median(literal.different))
        run.add(f"weight of the greedy cover, N = {n}", greedy, greedy, best)


def _measure_experiments(run: SectionRun) -> None:
    for name, n, generations, changes in run.steps(_EXPERIMENTS):
        if run.quick and generations > GENERATIONS:
            continue  # a quick run cannot afford it
        problem = set_covering(n, unique=True)
        literal = _literal(run, problem, changes, generations, "experiment_runs")
        described = _described(run, problem, changes, generations)
        weights = (one.median(one.weights) for one in (literal, described))
        run.add(f"weight, {name}, N = {n}", *weights, run.row(f"weight of the cover, N = {n}").ours)


SECTION = section(__file__, _measure_sizes, _measure_experiments, solvers={"B2": genetic})
