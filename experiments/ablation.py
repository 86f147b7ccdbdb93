"""An ablation of AlphaZero's training at equal time: ``python -m experiments.ablation``.

The networks of all runs are graded by the exact solution in the same positions. The clock of a run counts the CPU time
of one core, so other programs on the machine do not shorten it. With the defaults, each variant takes about 4 minutes.
The command writes the learning curves, a table and a plot. It does not repeat a run whose learning curve is written.
"""

from collections.abc import Mapping, Sequence
from csv import DictReader, DictWriter
from itertools import product
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.stats import t
from typing_extensions import override

from ci_envs.agent_interface.decision import decide_or_fail
from ci_envs.agents.alphazero.agent import AlphaZeroAgent
from ci_envs.agents.alphazero.network import Network
from ci_envs.agents.alphazero.training import AlphaZeroTrainer
from ci_envs.arena.grading import grade
from ci_envs.drawing.figure_file import figure_type, write_figure
from ci_envs.drawing.plot_style import styled
from ci_envs.games.game import Game
from ci_envs.registry.games import resolve
from ci_envs.reports.trainers import new_trainer
from ci_envs.solver.reachable import sample_positions
from ci_envs.solver.solution import NO_SCORE, keep_value
from ci_envs.solver.solve import solve
from ci_envs.training.trainer import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = Mapping[str, str]
"""A row of the learning curves: a variant, a seed, and numbers."""

_EARLIER: Mapping[str, Any] = {"optimizer": "adamw", "value_loss": "squared_error"}

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "base": {},
    "AdamW": {"optimizer": "adamw"},
    "squared error": {"value_loss": "squared_error"},
    "AdamW, squared error": _EARLIER,
    "little weight decay": {**_EARLIER, "learning_rate": 2e-3, "weight_decay": 1e-4},
    "value of the result alone": {"value_mix": 0.0},
    "value of the search alone": {"value_mix": 1.0},
    "exact values": {"exact": "exact"},
    "PUCT": {"selection": "puct"},
    "UCB1": {"selection": "ucb"},
    "no symmetries": {"symmetries": False},
    "64x5": {"architecture": "64x5"},
}
"""The variants: options of ``ci-envs train alphazero`` by their labels."""

COMMON: Mapping[str, Any] = {"simulations": 32, "random_plies": 8, "games": 256, "device": "cpu"}
"""The options of all variants, which replace those of the game."""

ALONE, SEARCH = "network alone", "100 simulations"
"""The columns with the shares of critical positions whose value is kept."""

_GRADED = 8  # times in a run


class GradedPositions(NamedTuple):
    """Positions in which a mistake is possible, with the scores of their actions."""

    game: Game
    words: NDArray[np.uint64]
    scores: NDArray[np.int16]

    def share(self, network: Network, simulations: int) -> float:
        """Return the share of the positions in which a network keeps the value."""
        agent = AlphaZeroAgent(self.game, network, simulations=simulations, lookahead=1, seed=0)
        keeps = grade(self.scores, decide_or_fail(agent, self.words).actions).critical.keeps
        return round(keeps.right / keeps.cases, 4)


class _GradedRun(Run):
    """A run whose network is graded alone at regular times, and with a search at the end."""

    def __init__(self, trainer: AlphaZeroTrainer, graded: GradedPositions) -> None:
        self._trainer, self._graded = trainer, graded
        self.rows: list[dict[str, float]] = []

    @property
    @override
    def is_over(self) -> bool:
        return self._trainer.done >= self._trainer.total

    @property
    @override
    def next_measurement(self) -> float:
        return self._trainer.total * (len(self.rows) + 1) / _GRADED

    @override
    def update(self) -> None:
        if self._trainer.done >= self.next_measurement or self.is_over:
            metrics = self._trainer.metrics()
            row = {name: float(metrics[name]) for name in ("seconds", "games", "positions")}
            self.rows.append({**row, ALONE: self._graded.share(self._trainer.network, 1)})
        if self.is_over:
            self.rows[-1][SEARCH] = self._graded.share(self._trainer.network, 100)

    @override
    def log(self, numbers: Mapping[str, float]) -> None:
        pass


@click.command()
@click.option("--environment", default="ConnectFour-v0", show_default=True, help="A game that can be solved.")
@click.option("--minutes", default=1.0, show_default=True, type=click.FloatRange(min=0, min_open=True))
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(min=2), help="Runs of each variant.")
@click.option("--positions", default=2000, show_default=True, type=click.IntRange(min=1))
@click.option("--variant", "variants", multiple=True, default=tuple(VARIANTS), type=click.Choice(tuple(VARIANTS)))
@click.option("--output", default="runs/ablation", show_default=True, type=click.Path(path_type=Path))
def main(environment: str, minutes: float, seeds: int, positions: int, variants: tuple[str, ...], output: Path) -> None:
    """Train each variant with each seed, and compare the actions of the networks with the exact solution."""
    file = output / "curves.csv"
    done = {(row["variant"], int(row["seed"])) for row in _read(file)}
    left = [run for run in product(dict.fromkeys(("base", *variants)), range(seeds)) if run not in done]
    if left:
        output.mkdir(parents=True, exist_ok=True)
        graded = graded_positions(resolve(environment)[1], positions)
        for variant, seed in left:
            curve = learn(environment, variant, seed, minutes, graded)
            _append(file, [{"variant": variant, "seed": seed, **row} for row in curve])
    rows = _read(file)
    console = Console()
    console.width = max(console.width, 140)
    console.print(table_of(rows))
    write_figure(draw(rows), output / "curves.png")


def graded_positions(game: Game, count: int) -> GradedPositions:
    """Sample positions that play can reach, and return those in which a mistake is possible."""
    words = sample_positions(game, count, np.random.default_rng(0))
    scores = solve(game).grading_scores(words)
    critical = ((scores != NO_SCORE) & ~keep_value(scores)).any(axis=1)
    return GradedPositions(game, words[critical], scores[critical])


def learn(environment: str, variant: str, seed: int, minutes: float, graded: GradedPositions) -> list[dict[str, float]]:
    """Return the rows of the learning curve of a run."""
    options = {**COMMON, **VARIANTS[variant]}
    warm_up = new_trainer("alphazero", environment, seed, **options | {"games": 2, "iterations": 1})
    warm_up.train(_GradedRun(warm_up, graded))  # loads the compiled code
    trainer = new_trainer("alphazero", environment, seed, **options, minutes=minutes)
    run = _GradedRun(trainer, graded)
    with patch("ci_envs.agents.alphazero.training.monotonic", process_time):
        trainer.train(run)
    return run.rows


def table_of(rows: Sequence[Row]) -> Table:
    """Return the means of the final figures over the seeds, and their differences from the base.

    The 95% intervals of the differences use Student's t distribution, with the standard deviation between the seeds of
    a variant that is pooled over all variants.
    """
    table = Table("variant", "games", title="Critical positions whose value is kept", title_justify="left")
    games, shares = _final(rows, "games"), {name: _final(rows, name) for name in (ALONE, SEARCH)}
    for name in shares:
        table.add_column(name, justify="right")
        table.add_column("difference", justify="right")
    for variant in games:
        cells = [variant, f"{np.mean(games[variant]):,.0f}"]
        for by_variant in shares.values():
            ends, error = 100 * np.array(by_variant[variant]), 100 * _error_of_difference(list(by_variant.values()))
            gain = ends.mean() - 100 * np.mean(by_variant["base"])
            difference = f"{gain:+.1f} ({gain - error:+.1f} to {gain + error:+.1f})"
            cells.append(f"{ends.mean():.1f}% ({ends.min():.1f} to {ends.max():.1f})")
            cells.append("" if variant == "base" else difference)
        table.add_row(*cells)
    return table


def _final(rows: Sequence[Row], name: str) -> dict[str, list[float]]:
    """Return the last value of a column in each run by variant."""
    ends: dict[str, list[float]] = {}
    for row in rows:
        if row[SEARCH]:  # only the last row of a run has it
            ends.setdefault(row["variant"], []).append(float(row[name]))
    return ends


def _error_of_difference(samples: Sequence[Sequence[float]]) -> float:
    """Return half of the 95% interval of the difference of two means."""
    seeds = len(samples[0])
    deviation = np.mean([np.var(sample, ddof=1) for sample in samples]) ** 0.5
    return float(t.ppf(0.975, len(samples) * (seeds - 1)) * deviation * (2 / seeds) ** 0.5)


@styled
def draw(rows: Sequence[Row]) -> "Figure":
    """Return a figure of the networks alone: the means over the seeds, and the range of the seeds."""
    figure = figure_type()(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for variant in dict.fromkeys(row["variant"] for row in rows):
        curves = [_curve(rows, variant, seed) for seed in dict.fromkeys(row["seed"] for row in rows)]
        times = np.linspace(max(curve[0, 0] for curve in curves), min(curve[-1, 0] for curve in curves))
        shares = np.array([np.interp(times, *curve.T) for curve in curves])
        axes.plot(times, shares.mean(axis=0), label=variant)
        axes.fill_between(times, shares.min(axis=0), shares.max(axis=0), alpha=0.12, linewidth=0)
    axes.set(xlabel="seconds of training", ylabel=f"{ALONE} (%)")
    axes.legend(ncols=2)
    return figure


def _curve(rows: Sequence[Row], variant: str, seed: str) -> NDArray[np.float64]:
    """Return the seconds and the shares in per cent of a run, shape (measurements, 2)."""
    points = [row for row in rows if (row["variant"], row["seed"]) == (variant, seed)]
    return np.array([(float(row["seconds"]), 100 * float(row[ALONE])) for row in points])


def _read(file: Path) -> list[Row]:
    if not file.exists():
        return []
    with file.open(newline="") as opened:
        return list(DictReader(opened))


def _append(file: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    begins = not file.exists()
    with file.open("a", newline="") as opened:
        writer = DictWriter(opened, list(rows[-1]))
        if begins:
            writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
