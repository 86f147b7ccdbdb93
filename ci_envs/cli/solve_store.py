"""The computation of tables on disk by ``ci-envs solve --store``."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ci_envs.cli.data_files import DataFiles
from ci_envs.cli.errors import cluster_errors, usage_errors
from ci_envs.cli.progress import count_progress
from ci_envs.cli.store_resources import Resources
from ci_envs.registry.games import resolve

if TYPE_CHECKING:
    from ci_envs.games.game import Game
    from ci_envs.solver.quixo_store import QuixoStore, Requirements, StoreSolution


def compute_store(environment: str, folder: Path, cubes: int, resources: Resources, data_files: DataFiles) -> None:
    """Compute the tables of a game in a folder, and print the numbers of won, drawn and lost states.

    Args:
        environment: The environment of the game.
        folder: The folder.
        cubes: The smallest number of cubes on the board.
        resources: What computes the tables.
        data_files: The files for the numbers.
    """
    with usage_errors(), cluster_errors():
        _, game, _ = resolve(environment)
        store = _store_of(game, folder)
        requirements = store.requirements(cubes)
        with resources.sweeper(store.game) as sweeper:
            if requirements.states:
                _print_requirements(folder, requirements)
            with count_progress("states", estimates=True) as progress:
                store.compute(cubes, threads=resources.thread_count, sweeper=sweeper, progress=progress)
    rows = [
        {"own": a, "opponent": b, **counts._asdict()} for (a, b), counts in store.all_counts().items() if a + b >= cubes
    ]
    if not data_files.on_stdout:
        _print_table(environment, rows)
    data_files.write({"environment": environment, "store": str(folder), "classes": rows}, rows)


def _print_requirements(folder: Path, requirements: "Requirements") -> None:
    states, disk, memory = requirements
    free = shutil.disk_usage(_existing(folder)).free
    click.echo(
        f"{states:,} states are left to compute. This needs up to {_size(disk)} of disk space"
        f" ({_size(free)} are free) and {_size(memory)} of memory.",
        err=True,
    )


def solution_of_store(game: "Game", folder: Path) -> "StoreSolution":
    """Return the solution of a game from the tables in a folder.

    Raises:
        ValueError: The game cannot have tables.
    """
    from ci_envs.solver.quixo_store import StoreSolution

    return StoreSolution(_store_of(game, folder))


def _store_of(game: "Game", folder: Path) -> "QuixoStore":
    from ci_envs.games.quixo import Quixo
    from ci_envs.solver.quixo_store import open_store

    if not isinstance(game, Quixo):
        raise ValueError(f"--store is for Quixo, for example Quixo-v0, not for {game}")
    return open_store(game, folder)


def _existing(folder: Path) -> Path:
    """Return the folder, or the nearest of its parents that exists."""
    folder = folder.absolute()
    return next(path for path in (folder, *folder.parents) if path.exists())


def _size(count: int) -> str:
    """Return a number of bytes as text, for example ``1.2 GB``."""
    units = ("bytes", "kB", "MB", "GB", "TB")
    power = min((len(str(count)) - 1) // 3, len(units) - 1)
    return f"{count / 1000**power:.3g} {units[power]}"


def _print_table(title: str, rows: list[dict[str, int]]) -> None:
    """Print the sums of the classes with equally many cubes."""
    from rich.console import Console
    from rich.table import Table

    table = Table("cubes", "states", "won", "drawn", "lost", title=title)
    for column in table.columns:
        column.justify = "right"
    for cubes in sorted({row["own"] + row["opponent"] for row in rows}, reverse=True):
        sums = [sum(row[name] for row in rows if row["own"] + row["opponent"] == cubes) for name in _RESULTS]
        table.add_row(*(f"{number:,}" for number in (cubes, sum(sums), *sums)))
    Console(highlight=False).print(table)


_RESULTS = ("win", "draw", "loss")
