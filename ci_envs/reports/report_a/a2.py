"""Section A2: Nim by a genetic algorithm with two genes.

In the text of report A, "the nim-sum is at most target_range from target_preference", with genes from 0 to 1. These
genes accept only the nim-sums 0 and 1. The figures of report A come from genes that are relative to the nim-sums of the
legal actions, in misere play with five rows. The literal version uses the relative genes, and the described version
follows the text.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ci_envs.agents.nim.config import NimGAConfig
from ci_envs.agents.nim.training import NimGATrainer
from ci_envs.games.nim import Nim
from ci_envs.reports.claims import Cell, Claim, Text, all_of
from ci_envs.reports.estimates import Estimate, mean_of_runs, median_of, share_in_games
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
from ci_envs.reports.rows import FigureRow, figure_row
from ci_envs.reports.section import Findings, Panel, Plot, RunOptions, Section, Series
from ci_envs.reports.sources import Figure, published
from ci_envs.training.learners import make_config
from ci_envs.training.trainer import Task

_ENVIRONMENT = "Nim-v0:heaps=1,3,5,7,9,misere=true"
_MOST_WINS = POPULATION * GAMES * len(OPPONENTS)

_RUNS, _TRAINER_RUNS = 50, 8
_QUICK_RUNS, _QUICK_TRAINER_RUNS = 2, 1
_EXACT_RUNS = 20  # runs whose last population is measured exactly

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

_PLOT = published("read off the plots of the total wins in the repository of the author of report A")
_BEST_GENOME = "best genome of a grid, games won"
_GRID_NOTE = "The exact share of games against the three opponents. The grid of the genes has steps of 0.1."
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

    @property
    def curves(self) -> tuple[Curves, Curves, Curves]:
        """The curves of the three versions."""
        return self.literal, self.described, self.ours


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
    rows = [row for kind in versions.items() for row in _selection_rows(*kind)]
    rows += [row for selection in SELECTIONS for row in _normal_rows(selection, seeds, options.seed)]
    options.report_progress(0.95)
    rows += _worth_rows()
    options.report_progress(1.0)
    return Findings(tuple(rows), _plots(versions))


def _evolve(seed: int, number: int, selection: str, *, misere: bool = True) -> EvolutionRecord:
    """Run an evolution; both ways of selection start from the same genomes."""
    first = np.random.default_rng([seed, number]).random((POPULATION, 2))
    rng = np.random.default_rng([seed, number, 1 + list(SELECTIONS).index(selection), misere])
    return evolve(first, selection, rng, misere=misere)


def _selection_rows(selection: str, versions: _Versions) -> Iterator[FigureRow]:
    for epoch, wins in enumerate(_READ_OFF[selection]):
        yield figure_row(
            f"total wins, {selection}, epoch {epoch}",
            Figure(wins, _PLOT),
            *(median_of(curves.totals[:, epoch]) for curves in versions.curves),
            note="" if epoch else "The first population is random, so no version can be better than another here.",
            unit="games",
        )
    for number, gene in enumerate(GENES):
        yield figure_row(
            _deviation(gene, selection),
            None,
            *(median_of(curves.deviations[:, number]) for curves in versions.curves),
            note="Report A shows the genes as dots, without a figure. Ours aims at wins, not at diversity.",
        )
    yield figure_row(
        _first_epoch(selection),
        Figure(float(_converged(np.array([_READ_OFF[selection]]))[0]), _PLOT),
        *(mean_of_runs(_converged(curves.totals)) for curves in versions.curves),
        note="From the figures read off. Our population has more wins to gain.",
        unit="epoch",
    )
    middles = [np.median(record.genomes[EPOCHS - 1], axis=0).tolist() for record in versions.records[:_EXACT_RUNS]]
    yield figure_row(
        _middle(selection),
        None,
        median_of([_worth(genome_strategy(genome)) for genome in middles]),
        note="The exact share of games against the three opponents of the median genes of the last population.",
        unit="%",
    )


def _converged(totals: NDArray[Any]) -> NDArray[np.intp]:
    """Return the first epoch of each run with nearly as many wins as its best epoch, intp (runs,)."""
    first: NDArray[np.intp] = (totals >= _CONVERGED * totals.max(axis=1, keepdims=True)).argmax(axis=1)
    return first


def _normal_rows(selection: str, seeds: range, seed: int) -> list[FigureRow]:
    versions = _Versions(
        [_evolve(seed, number, selection, misere=False) for number in range(len(seeds))],
        trained_curves({**DESCRIBED, "selection": selection}, seeds, misere=False),
        trained_curves(OURS, seeds, misere=False),
    )
    return [
        figure_row(
            f"total wins in normal play, {selection}, epoch {epoch}",
            None,
            *(median_of(curves.totals[:, epoch]) for curves in versions.curves),
            note="Report A does not name the kind of play; its figures come from misere play.",
            unit="games",
        )
        for epoch in (0, EPOCHS - 1)
    ]


def _worth(strategy: Strategy) -> float:
    """Return the exact percentage of games of a fitness that a strategy wins: the mean of the three opponents."""
    return float(np.mean([_share(strategy, opponent) for opponent in OPPONENTS.values()]))


def _share(strategy: Strategy, opponent: Strategy) -> float:
    return win_percentage(strategy, opponent, 0, FIVE_ROWS, misere=True)


def _worth_rows() -> Iterator[FigureRow]:
    best = genome_strategy(_BEST), genome_strategy(_BEST_RAW, "raw"), misere_optimal
    low = *(genome_strategy(_NEAR_0, interpretation) for interpretation in ("relative", "raw")), misere_optimal
    for quantity, strategies, opponent in (
        *((_best_v(name), best, other) for name, other in OPPONENTS.items()),
        (f"genome near 0, {_NEAR_0}, v row_random, wins", low, row_random),
    ):
        shares = [_share(one, opponent) for one in strategies]
        measured = share_in_games(shares[0] / 100, GAMES), *map(Estimate.exact, shares[1:])
        yield figure_row(quantity, None, *measured, note=_WORTH_NOTE, unit="%")
    yield figure_row(_BEST_GENOME, None, *(Estimate.exact(_worth(one)) for one in best), note=_GRID_NOTE, unit="%")


def _deviation(gene: str, selection: str) -> str:
    return f"standard deviation of the {gene}, {selection}, epoch {EPOCHS - 1}"


def _first_epoch(selection: str) -> str:
    return f"first epoch with {_CONVERGED:.0%} of the most total wins, {selection}"


def _middle(selection: str) -> str:
    return f"middle of the last population, {selection}, games won"


def _best_v(opponent: str) -> str:
    return f"best genome of a grid v {opponent}, wins"


_CLAIMS = (
    Claim(
        "Roulette might keep more diversity.",
        all_of(*(Cell(_deviation(gene, "roulette")) > Cell(_deviation(gene, "tournament")) for gene in GENES)),
        "The difference is small: in the last epoch the standard deviation of the preference is {:.3f} with roulette"
        " and {:.3f} with the tournament, and that of the range {:.3f} and {:.3f} (medians).",
    ),
    Claim(
        "Tournament selection might converge faster.",
        Cell(_first_epoch("tournament")) < Cell(_first_epoch("roulette")),
        f"Roulette reaches {_CONVERGED:.0%} of its most total wins in epoch {{:.1f}}, the tournament in epoch {{:.1f}}"
        " (means).",
    ),
    Claim(
        "Tournament selection has the risk of a local optimum.",
        Cell(_BEST_GENOME) > Cell(_middle("tournament")),
        "The best genome wins {:.1f}% of its games, and the middle of the last population {:.1f}% with the tournament"
        " and {:.1f}% with roulette: both stop below the optimum, the tournament nearer to it.",
        (Cell(_BEST_GENOME), Cell(_middle("tournament")), Cell(_middle("roulette"))),
    ),
)


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


SECTION = Section(
    name="A2",
    title="Nim by a genetic algorithm with two genes",
    game=_ENVIRONMENT,
    purpose="Evolve which nim-sum a player of Nim should leave, with parents selected by roulette or by tournament.",
    conclusion=Text(
        "The plots are reproduced by genes that are relative to the nim-sums on offer, in misere play. The words of"
        " report A, a nim-sum between 0 and 1, describe a better player: the genome that leaves a nim-sum of 1 wins"
        " {:.0f}%, {:.0f}% and {:.0f}% of its games against the three opponents.",
        tuple(Cell(_best_v(name), "described") for name in OPPONENTS),
    ),
    conditions=(
        "Rows 1, 3, 5, 7, 9 in misere play. A genome plays 10 games against each of three opponents and moves first in"
        " all: a row, then a number at random (row_random); all of the first row (max_lowest); any move that leaves a"
        f" nim-sum other than 0 (nonzero_nim_sum). Population {POPULATION}, {EPOCHS} epochs. The literal interval holds"
        f" the middle 95% of {_RUNS} runs ({_QUICK_RUNS} with --quick). The described and our columns are trained by"
        " nim_ga with interpretation=raw."
    ),
    seconds=90,
    run=run,
    claims=_CLAIMS,
    agents={
        **{name: partial(genome_agent, genome=genome) for name, genome in _EVOLVED.items()},
        "A2:described": partial(genome_agent, genome=_BEST_RAW, interpretation="raw"),
    },
)
