"""Learning curves of AlphaZero: ``python -m experiments.curves curves.png runs/a runs/b``.

It needs matplotlib: ``pip install -e ".[plot]"``.
"""

import csv
from collections.abc import Mapping
from pathlib import Path

import click
import matplotlib.pyplot as plt

from ci_envs.training.folder import CURVE


@click.command()
@click.argument("picture", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("runs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--title", default="", help="Above the picture.")
def main(picture: Path, runs: tuple[Path, ...], title: str) -> None:
    """Draw the ratings of RUNS, folders of ``ci-envs train alphazero``, against the time of their training."""
    if empty := [run for run in runs if not (run / CURVE).exists()]:
        raise click.UsageError(f"nothing was measured in {str(empty[0])!r}: it has no {CURVE}")
    draw({run.name: read_curve(run) for run in runs}, picture, title)


def read_curve(run: Path) -> list[tuple[float, float]]:
    """Return the minutes of training and the rating, in Elo above the first opponent, of each measurement of a run.

    Raises:
        OSError: the folder has no learning curve.
    """
    with (run / CURVE).open(newline="") as file:
        return [(float(row["seconds"]) / 60, float(row["rating"])) for row in csv.DictReader(file) if row["rating"]]


def draw(curves: Mapping[str, list[tuple[float, float]]], picture: Path, title: str) -> None:
    """Draw the curves that :func:`read_curve` returns, by their labels."""
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for label, points in curves.items():
        axes.plot(*zip(*points, strict=True), marker="o", markersize=3, linewidth=1.4, label=label)
    axes.set(xlabel="minutes of training", ylabel="Elo above the first opponent", title=title)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    if len(curves) > 1:
        axes.legend(frameon=False)
    figure.savefig(picture, dpi=150)
    plt.close(figure)


if __name__ == "__main__":
    main()
