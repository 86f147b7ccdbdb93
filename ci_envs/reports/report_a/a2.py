"""Section A2: Nim by a genetic algorithm with two genes.

In the text of report A, "the nim-sum is at most target_range from target_preference", with genes from 0 to 1. These
genes accept only the nim-sums 0 and 1. The figures of report A come from genes that are relative to the nim-sums of the
legal actions, in misere play with five rows. The literal version uses the relative genes, and the described version
follows the text.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ci_envs.agents.nim.config import NimGAConfig
from ci_envs.agents.nim.training import NimGATrainer
from ci_envs.games.nim import Nim
from ci_envs.reports.estimates import share_in_games, spread_of_runs
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
from ci_envs.training.learners import make_config
from ci_envs.training.trainer import Task

_ENVIRONMENT = "Nim-v0:heaps=1,3,5,7,9,misere=true"
_MOST_WINS = POPULATION * GAMES * len(OPPONENTS)

_RUNS, _TRAINER_RUNS = 50, 8
_QUICK_RUNS, _QUICK_TRAINER_RUNS = 2, 1

_READ_OFF: Mapping[str, tuple[float, ...]] = {
    "roulette": (3530, 4080, 4120, 4250, 4400, 4455, 4355, 4285, 4335, 4335),
    "tournament": (3460, 4600, 4560, 4645, 4540, 4600, 4635, 4605, 4635, 4615),
}
"""The total wins in each epoch, read off plots that the author of report A published elsewhere."""

_CONVERGED = 0.97

DESCRIBED: Mapping[str, Any] = {"preset": "A2"}
"""The options for the text of report A. ``selection`` is ``roulette`` or ``tournament``."""

OURS: Mapping[str, Any] = {
    "population": POPULATION,
    "generations": EPOCHS - 1,
    "games": GAMES,
    "opponents": tuple(f"nim:{rule}" for rule in OPPONENTS),
    "starts": "first",
    "interpretation": "raw",
    "crossover": "blend",
    "blend_alpha": 0.1,
    "elite": 0,
    "reevaluate": False,
    "tournament_size": 20,
    "sigma": 0.02,
}
"""The options of our best run, with the budget, the opponents and the first seat of report A."""

_BEST, _BEST_RAW = (0.3, 0.4), (0.8, 0.3)
"""The best genome on a grid with steps of 0.1, by the code and by the text of report A."""

_NEAR_0 = (0.01, 0.1)

_EVOLVED = {"A2": (0.471, 0.71), "A2:roulette": (0.446, 0.417)}
"""The genomes with the most wins in the last epoch of the first literal run with the seed 0."""

_READ_OFF_NOTE = "Read off a plot that the author of report A published elsewhere."
_FIRST_NOTE = f"{_READ_OFF_NOTE} The first population is random, so no version can be better than another here."
_WORTH_NOTE = "Report A gives no figure; the interval is that of the 10 games of a fitness."


class Curves(NamedTuple):
    """The results of several runs of an evolution.

    Attributes:
        totals: The games that the population wins in each epoch, float64 (runs, EPOCHS).
        deviations: The standard deviations of the genes in the last epoch, float64 (runs, 2).
    """

    totals: NDArray[np.float64]
    deviations: NDArray[np.float64]


class _Versions(NamedTuple):
    """The runs of all versions with one way of selection; ours has a way of its own."""

    records: Sequence[EvolutionRecord]
    described: Curves
    ours: Curves

    @property
    def literal(self) -> Curves:
        """The curves of the literal runs."""
        return literal_curves(self.records)


def literal_curves(records: Sequence[EvolutionRecord]) -> Curves:
    """Return the curves of literal runs."""
    totals = np.array([record.total_wins for record in records], dtype=np.float64)
    return Curves(totals, np.array([record.genomes[EPOCHS - 1].std(axis=0) for record in records]))


def trained_curves(options: Mapping[str, Any], seeds: Iterable[int], *, misere: bool = True) -> Curves:
    """Return the curves of our trainer ``nim_ga``, one run for each seed."""
    game, totals, deviations = Nim(FIVE_ROWS, misere=misere), [], []
    for seed in seeds:
        config = cast(NimGAConfig, make_config(NimGATrainer, game, options))
        trainer = NimGATrainer(Task(_ENVIRONMENT, game, None, seed), config)
        for _ in range(EPOCHS):
            trainer.evolution.advance()
        totals.append([_MOST_WINS * generation.mean for generation in trainer.evolution.history])
        deviations.append(trainer.evolution.population.genomes.std(axis=0))
    return Curves(np.array(totals), np.array(deviations))


def run(options: RunOptions) -> Findings:
    """Repeat both evolutions of report A, and measure single genomes exactly."""
    runs, trainer_runs = (_QUICK_RUNS, _QUICK_TRAINER_RUNS) if options.quick else (_RUNS, _TRAINER_RUNS)
    records: dict[str, list[EvolutionRecord]] = {selection: [] for selection in SELECTIONS}
    for number in range(runs):
        for selection, found in records.items():
            found.append(_evolve(options.seed, number, selection))
        options.report_progress(0.6 * (number + 1) / runs)
    seeds = range(options.seed, options.seed + trainer_runs)
    ours = trained_curves(OURS, seeds)
    versions = {
        selection: _Versions(found, trained_curves({**DESCRIBED, "selection": selection}, seeds), ours)
        for selection, found in records.items()
    }
    options.report_progress(0.8)
    rows = [row for rows_of in (_total_rows, _deviation_rows) for kind in versions.items() for row in rows_of(*kind)]
    rows += [_converged_row(selection, found) for selection, found in versions.items()]
    rows += [row for selection in SELECTIONS for row in _normal_rows(selection, seeds, options.seed)]
    options.report_progress(0.95)
    rows += _worth_rows()
    options.report_progress(1.0)
    return Findings(tuple(rows), _claims(versions), _plots(versions))


def _evolve(seed: int, number: int, selection: str, *, misere: bool = True) -> EvolutionRecord:
    """Run an evolution; both ways of selection start from the same genomes."""
    first = np.random.default_rng([seed, number]).random((POPULATION, 2))
    rng = np.random.default_rng([seed, number, 1 + list(SELECTIONS).index(selection), misere])
    return evolve(first, selection, rng, misere=misere)


def _total_rows(selection: str, versions: _Versions) -> list[FigureRow]:
    described, ours = (np.median(curves.totals, axis=0).tolist() for curves in (versions.described, versions.ours))
    return [
        FigureRow(
            f"total wins, {selection}, epoch {epoch}",
            figure,
            spread_of_runs(versions.literal.totals[:, epoch].tolist()),
            described[epoch],
            ours[epoch],
            _READ_OFF_NOTE if epoch else _FIRST_NOTE,
            "games",
        )
        for epoch, figure in enumerate(_READ_OFF[selection])
    ]


def _deviation_rows(selection: str, versions: _Versions) -> list[FigureRow]:
    described, ours = (np.median(curves.deviations, axis=0).tolist() for curves in (versions.described, versions.ours))
    return [
        FigureRow(
            f"standard deviation of the {gene}, {selection}, epoch {EPOCHS - 1}",
            None,
            spread_of_runs(versions.literal.deviations[:, number].tolist()),
            described[number],
            ours[number],
            "Report A shows the genes as dots, without a figure. Ours aims at wins, not at diversity.",
        )
        for number, gene in enumerate(GENES)
    ]


def _converged_row(selection: str, versions: _Versions) -> FigureRow:
    described, ours = (float(np.median(_converged(curves.totals))) for curves in (versions.described, versions.ours))
    return FigureRow(
        f"first epoch with {_CONVERGED:.0%} of the most total wins, {selection}",
        float(_converged(np.array([_READ_OFF[selection]]))[0]),
        spread_of_runs(_converged(versions.literal.totals).tolist()),
        described,
        ours,
        "From the figures read off. Our population has more wins to gain.",
        "epoch",
    )


def _converged(totals: NDArray[Any]) -> NDArray[np.intp]:
    """Return the first epoch of each run with nearly as many wins as its best epoch, intp (runs,)."""
    first: NDArray[np.intp] = (totals >= _CONVERGED * totals.max(axis=1, keepdims=True)).argmax(axis=1)
    return first


def _normal_rows(selection: str, seeds: range, seed: int) -> list[FigureRow]:
    literal = literal_curves([_evolve(seed, number, selection, misere=False) for number in range(len(seeds))])
    described = trained_curves({**DESCRIBED, "selection": selection}, seeds, misere=False)
    ours = trained_curves(OURS, seeds, misere=False)
    return [
        FigureRow(
            f"total wins in normal play, {selection}, epoch {epoch}",
            None,
            spread_of_runs(literal.totals[:, epoch].tolist()),
            float(np.median(described.totals[:, epoch])),
            float(np.median(ours.totals[:, epoch])),
            "Report A does not name the kind of play; its figures come from misere play.",
            "games",
        )
        for epoch in (0, EPOCHS - 1)
    ]


def _worth_rows() -> list[FigureRow]:
    best, best_raw = genome_strategy(_BEST), genome_strategy(_BEST_RAW, "raw")
    low, low_raw = (genome_strategy(_NEAR_0, interpretation) for interpretation in ("relative", "raw"))
    rows = [_worth_row(f"best genome of a grid v {name}", best, best_raw, other) for name, other in OPPONENTS.items()]
    return [*rows, _worth_row(f"genome near 0, {_NEAR_0}, v row_random", low, low_raw, row_random)]


def _worth_row(quantity: str, literal: Strategy, described: Strategy, opponent: Strategy) -> FigureRow:
    worth, worth_described, worth_ours = (
        win_percentage(strategy, opponent, 0, FIVE_ROWS, misere=True)
        for strategy in (literal, described, misere_optimal)
    )
    estimate = share_in_games(worth / 100, GAMES)
    return FigureRow(f"{quantity}, wins", None, estimate, worth_described, worth_ours, _WORTH_NOTE, "%")


def _claims(versions: Mapping[str, _Versions]) -> tuple[Claim, ...]:
    deviations = {kind: np.median(found.literal.deviations, axis=0) for kind, found in versions.items()}
    epochs = {kind: np.median(_converged(found.literal.totals)) for kind, found in versions.items()}
    roulette, tournament = (versions[kind].literal.totals[:, -1] for kind in ("roulette", "tournament"))
    return (
        Claim(
            "Roulette might keep more diversity.",
            ClaimVerdict.HOLDS,
            "The difference is small: in the last epoch the standard deviations of the preference and the range are"
            f" {_numbers(deviations['roulette'])} with roulette, and {_numbers(deviations['tournament'])} with the"
            " tournament (medians).",
        ),
        Claim(
            "Tournament selection might converge faster.",
            ClaimVerdict.HOLDS,
            f"It reaches {_CONVERGED:.0%} of its most total wins in epoch {epochs['tournament']:.0f}, roulette in epoch"
            f" {epochs['roulette']:.0f} (medians).",
        ),
        Claim(
            "Tournament selection has the risk of a local optimum.",
            ClaimVerdict.FAILS,
            f"In {(tournament > roulette).sum()} of {len(roulette)} runs its last population wins more games than that"
            " of roulette.",
        ),
    )


def _numbers(values: NDArray[np.float64]) -> str:
    return " and ".join(f"{value:.3f}" for value in values)


def _plots(versions: Mapping[str, _Versions]) -> tuple[Plot, ...]:
    totals = tuple(Panel(selection, _total_series(selection, found)) for selection, found in versions.items())
    plots = [Plot("wins", "Total wins over epochs", "epoch", "total wins", totals)]
    for selection, found in versions.items():
        plots += [diversity_plot(selection, found.records[0]), heat_map(selection, found.records[0])]
    return tuple(plots)


def _total_series(selection: str, versions: _Versions) -> tuple[Series, ...]:
    literal = versions.literal.totals
    curves = {
        "report A, read off": np.array(_READ_OFF[selection]),
        "one literal run": literal[0],
        "described": np.median(versions.described.totals, axis=0),
        "ours": np.median(versions.ours.totals, axis=0),
    }
    epochs = tuple(map(float, range(EPOCHS)))
    return tuple(Series(name, epochs, tuple(curve.round(1).tolist())) for name, curve in curves.items())


def _conclusion(rows: Mapping[str, FigureRow]) -> str:
    shares = [
        row.described
        for name, row in rows.items()
        if name.startswith("best genome of a grid") and row.described is not None
    ]
    return (
        "The plots are reproduced by genes that are relative to the nim-sums on offer, in misere play. The words of"
        " report A, a nim-sum between 0 and 1, describe a better player: the genome that leaves a nim-sum of 1 wins"
        f" {min(shares):.0f} to {max(shares):.0f}% of its games."
    )


SECTION = Section(
    name="A2",
    title="Nim by a genetic algorithm with two genes",
    game=_ENVIRONMENT,
    purpose="Evolve which nim-sum a player of Nim should leave, with parents selected by roulette or by tournament.",
    conclusion=_conclusion,
    conditions=(
        "Rows 1, 3, 5, 7, 9 in misere play. A genome plays 10 games against each of three opponents and moves first in"
        " all: a row, then a number at random (row_random); all of the first row (max_lowest); any move that leaves a"
        f" nim-sum other than 0 (nonzero_nim_sum). Population {POPULATION}, {EPOCHS} epochs. The literal interval holds"
        f" the middle 95% of {_RUNS} runs ({_QUICK_RUNS} with --quick). The described and our columns are trained by"
        " nim_ga with interpretation=raw."
    ),
    seconds=90,
    run=run,
    agents={
        **{name: partial(genome_agent, genome=genome) for name, genome in _EVOLVED.items()},
        "A2:described": partial(genome_agent, genome=_BEST_RAW, interpretation="raw"),
    },
)
