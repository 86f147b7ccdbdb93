"""Section A2: Nim by a genetic algorithm with two genes.

In the text of report A, "the nim-sum is at most target_range from target_preference", with genes from 0 to 1. These
genes accept only the nim-sums 0 and 1. The figures of report A come from genes that are relative to the nim-sums of the
legal actions, in misere play with five rows. The literal version uses the relative genes, and the described version
follows the text.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ci_envs.optimisation.evolution.evolution import PopulationEvolution
from ci_envs.reports.estimates import mean_of_runs, median_of, share_in_games
from ci_envs.reports.nim_strategies import FIVE_ROWS, Strategy, misere_optimal, row_random, win_percentage
from ci_envs.reports.report_a.nim_genes import (
    EPOCHS,
    GAMES,
    OPPONENTS,
    POPULATION,
    SELECTIONS,
    EvolutionRecord,
    evolve,
    genome_agent,
    genome_strategy,
)
from ci_envs.reports.report_a.nim_genes_plots import GENES, diversity_plot, heat_map
from ci_envs.reports.section import Panel, Plot, Series
from ci_envs.reports.section_run import SectionRun, section
from ci_envs.reports.trainers import evolved

_MOST_WINS = POPULATION * GAMES * len(OPPONENTS)
_CONVERGED = 0.97

DESCRIBED = "nim_ga:preset=A2"
"""Our trainer with the options for the text of report A. ``selection`` is ``roulette`` or ``tournament``."""

OURS = (
    f"nim_ga:population={POPULATION},games={GAMES},opponents={'+'.join(f'nim:{rule}' for rule in OPPONENTS)},"
    "starts=first,interpretation=raw,crossover=blend,blend_alpha=0.1,elite=0,reevaluate=false,tournament_size=20,"
    "sigma=0.02"
)
"""Our trainer with our best options, and the budget, the opponents and the first seat of report A."""

_BEST, _BEST_RAW = (0.3, 0.4), (0.8, 0.3)
"""The best genome on a grid with steps of 0.1, by the code and by the text of report A."""

_NEAR_0 = (0.01, 0.1)

_EVOLVED = {"A2": (0.471, 0.71), "A2:roulette": (0.446, 0.417)}
"""The genomes with the most wins in the last epoch of the first literal run with the seed 0."""


class Curves(NamedTuple):
    """The results of several runs of an evolution.

    Attributes:
        totals: The games that the population wins in each epoch, float64 (runs, EPOCHS).
        deviations: The standard deviations of the genes in the last epoch, float64 (runs, 2).
    """

    totals: NDArray[np.float64]
    deviations: NDArray[np.float64]


def literal_curves(records: Sequence[EvolutionRecord]) -> Curves:
    """Return the curves of literal runs."""
    totals = np.array([record.total_wins for record in records], dtype=np.float64)
    return Curves(totals, np.array([record.genomes[EPOCHS - 1].std(axis=0) for record in records]))


def trained_curves(learner: str, seeds: Iterable[int], *, misere: bool = True) -> Curves:
    """Return the curves of our trainer ``nim_ga``, one run for each seed."""
    environment = f"Nim-v0:heaps={','.join(map(str, FIVE_ROWS))},misere={str(misere).lower()}"
    evolutions = [cast(PopulationEvolution, evolved(learner, environment, EPOCHS, seed).evolution) for seed in seeds]
    totals = [[_MOST_WINS * generation.mean for generation in one.history] for one in evolutions]
    return Curves(np.array(totals), np.array([one.population.genomes.std(axis=0) for one in evolutions]))


class _Versions(NamedTuple):
    """The runs of all versions with one way of selection; ours has a way of its own."""

    records: Sequence[EvolutionRecord]
    curves: tuple[Curves, Curves, Curves]


def _versions(run: SectionRun, selection: str, runs: int, ours: Curves, *, misere: bool = True) -> _Versions:
    """Repeat an evolution of report A; both ways of selection start from the same genomes."""
    records = []
    for number in run.steps(range(runs)):
        first = np.random.default_rng([run.seed, number]).random((POPULATION, 2))
        rng = np.random.default_rng([run.seed, number, 1 + list(SELECTIONS).index(selection), misere])
        records.append(evolve(first, selection, rng, misere=misere))
    described = trained_curves(f"{DESCRIBED},selection={selection}", run.seeds("trainer_runs"), misere=misere)
    return _Versions(records, (literal_curves(records), described, ours))


def _measure_misere(run: SectionRun) -> None:
    """Repeat both evolutions of report A, and draw its plots."""
    ours = trained_curves(OURS, run.seeds("trainer_runs"))
    versions = {selection: _versions(run, selection, run.budget("runs"), ours) for selection in run.steps(SELECTIONS)}
    for selection, found in versions.items():
        _add_rows(run, selection, found)
    totals = tuple(Panel(selection, _lines(run, selection, found)) for selection, found in versions.items())
    run.plots.append(Plot("wins", "Total wins over epochs", "epoch", "total wins", totals))
    for selection, found in versions.items():
        run.plots += [diversity_plot(selection, found.records[0]), heat_map(selection, found.records[0])]


def _add_rows(run: SectionRun, selection: str, versions: _Versions) -> None:
    curves, last = versions.curves, EPOCHS - 1
    for epoch in range(EPOCHS):
        totals = (median_of(one.totals[:, epoch]) for one in curves)
        run.add(f"total wins, {selection}, epoch {epoch}", *totals)
    for number, gene in enumerate(GENES):
        deviations = (median_of(one.deviations[:, number]) for one in curves)
        run.add(f"standard deviation of the {gene}, {selection}, epoch {last}", *deviations)
    converged = (mean_of_runs(_converged(one.totals)) for one in curves)
    run.add(f"first epoch with {_CONVERGED:.0%} of the most total wins, {selection}", *converged)
    exactly = versions.records[: run.budget("exact_runs")]
    middles = [np.median(record.genomes[last], axis=0).tolist() for record in exactly]
    worth = median_of([_worth(genome_strategy(genome)) for genome in middles])
    run.add(f"middle of the last population, {selection}, games won", worth)


def _converged(totals: NDArray[Any]) -> NDArray[np.intp]:
    """Return the first epoch of each run with nearly as many wins as its best epoch, intp (runs,)."""
    first: NDArray[np.intp] = (totals >= _CONVERGED * totals.max(axis=1, keepdims=True)).argmax(axis=1)
    return first


def _lines(run: SectionRun, selection: str, versions: _Versions) -> tuple[Series, ...]:
    """Return the total wins by epoch: those read off report A's plot, and ours."""
    literal, described, ours = (one.totals for one in versions.curves)
    curves = {
        "report A, read off": np.array([run.figure(f"total wins, {selection}, epoch {n}") for n in range(EPOCHS)]),
        "one literal run": literal[0],
        "described": np.median(described, axis=0),
        "ours": np.median(ours, axis=0),
    }
    return tuple(Series.curve(name, curve.round(1).tolist()) for name, curve in curves.items())


def _measure_normal(run: SectionRun) -> None:
    ours, runs = trained_curves(OURS, run.seeds("trainer_runs"), misere=False), run.budget("trainer_runs")
    for selection in run.steps(SELECTIONS):
        curves = _versions(run, selection, runs, ours, misere=False).curves
        for epoch in (0, EPOCHS - 1):
            totals = (median_of(one.totals[:, epoch]) for one in curves)
            run.add(f"total wins in normal play, {selection}, epoch {epoch}", *totals)


def _worth(strategy: Strategy) -> float:
    """Return the exact percentage of games of a fitness that a strategy wins: the mean of the three opponents."""
    return float(np.mean([_share(strategy, opponent) for opponent in OPPONENTS.values()]))


def _share(strategy: Strategy, opponent: Strategy) -> float:
    return win_percentage(strategy, opponent, 0, FIVE_ROWS, misere=True)


def _measure_worth(run: SectionRun) -> None:
    """Add the exact shares of games of single genomes."""
    best = genome_strategy(_BEST), genome_strategy(_BEST_RAW, "raw"), misere_optimal
    low = *(genome_strategy(_NEAR_0, interpretation) for interpretation in ("relative", "raw")), misere_optimal
    for quantity, strategies, opponent in (
        *((f"best genome of a grid v {name}, wins", best, other) for name, other in OPPONENTS.items()),
        (f"genome near 0, {_NEAR_0}, v row_random, wins", low, row_random),
    ):
        literal, *others = (_share(one, opponent) for one in strategies)
        run.add(quantity, share_in_games(literal / 100, GAMES), *others)
    run.add("best genome of a grid, games won", *map(_worth, best))


SECTION = section(
    __file__,
    _measure_misere,
    _measure_normal,
    _measure_worth,
    agents={
        **{name: partial(genome_agent, genome=genome) for name, genome in _EVOLVED.items()},
        "A2:described": partial(genome_agent, genome=_BEST_RAW, interpretation="raw"),
    },
)
