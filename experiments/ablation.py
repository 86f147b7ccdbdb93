"""An ablation of AlphaZero, with the same training time for each variant: ``python -m experiments.ablation``.

With the default of 5 minutes per variant it takes half an hour on two cores. It writes the runs, a table and a plot.
"""

import csv
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from ci_envs import make_agent
from ci_envs.arena.accuracy import Accuracy, measure_accuracy
from ci_envs.drawing.figure_file import write_figure
from ci_envs.registry.games import resolve
from ci_envs.solver.reachable import sample_positions
from ci_envs.solver.solve import solve
from ci_envs.training import train
from ci_envs.training.curves import draw_curves, read_curve
from ci_envs.training.folder import CONFIG, CURVE

VARIANTS: dict[str, dict[str, Any]] = {
    "gumbel": {},
    "puct": {"selection": "puct"},
    "ucb": {"selection": "ucb"},
    "no_symmetries": {"symmetries": False},
    "64x5": {"architecture": "64x5"},
}
"""The variants: options of ``ci-envs train alphazero`` by the names of the run folders."""


@click.command()
@click.option("--environment", default="Quixo-v0:size=4", show_default=True, help="A game that can be solved.")
@click.option(
    "--minutes",
    default=5.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    help="Minutes of training per variant.",
)
@click.option("--threads", default=2, show_default=True, type=click.IntRange(min=1), help="Threads of self-play.")
@click.option(
    "--positions",
    default=2000,
    show_default=True,
    type=click.IntRange(min=1),
    help="Number of test positions.",
)
@click.option(
    "--simulations",
    default=100,
    show_default=True,
    type=click.IntRange(min=1),
    help="Simulations per test position.",
)
@click.option("--output", default="runs/ablation", show_default=True, type=click.Path(path_type=Path))
def main(environment: str, minutes: float, threads: int, positions: int, simulations: int, output: Path) -> None:
    """Train each variant, or resume its training, and compare its actions with the exact solution."""
    _, game, _ = resolve(environment)
    table = Table(title=f"{environment}, {minutes:g} minutes each", title_justify="left")
    for column in ("variant", "iterations", "games", "Elo", "keeps value", "critical"):
        table.add_column(column, justify="left" if column == "variant" else "right")
    words, solution = sample_positions(game, positions, np.random.default_rng(0)), solve(game)
    for label, options in VARIANTS.items():
        run = output / label
        resume = (run / CONFIG).exists()
        best = train("alphazero", environment, output=run, resume=resume, minutes=minutes, threads=threads, **options)
        agent = make_agent(f"{best},simulations={simulations}", game, seed=0)
        table.add_row(label, *_numbers(run, measure_accuracy(game, agent, words, solution)))
    curves = {label: read_curve(output / label) for label in VARIANTS}
    write_figure(draw_curves(curves, ["rating"], x="seconds"), output / "curves.png")
    Console().print(table)


def _numbers(run: Path, accuracy: Accuracy) -> list[str]:
    with (run / CURVE).open(newline="") as file:
        *_, last = csv.DictReader(file)
    shares = [tally.keeps.counted_text(digits=1) for tally in (accuracy.everywhere, accuracy.critical)]
    return [last["iterations"], f"{int(last['games']):,}", f"{float(last['rating']):+.0f}", *shares]


if __name__ == "__main__":
    main()
