"""The computation of tables on disk by ``ci-envs solve --store``."""

import shutil
from pathlib import Path

import click

from ci_envs.cli.data_files import DataFiles
from ci_envs.cli.errors import cluster_errors, interrupt_advice, usage_errors
from ci_envs.cli.progress import count_progress
from ci_envs.registry.games import resolve
from ci_envs.solver.levels import Requirements, Resources


def compute_store(environment: str, folder: Path, level: int, resources: Resources, data_files: DataFiles) -> None:
    """Compute the tables of a game in a folder, and print the numbers of won, drawn and lost states.

    Args:
        environment: The environment of the game.
        folder: The folder.
        level: The smallest number of pieces on the board.
        resources: What computes the tables.
        data_files: The files for the numbers.
    """
    from ci_envs.solver.solver import solver_of

    advice = "Run the same command again to continue."
    with interrupt_advice(advice), usage_errors(), cluster_errors():
        _, game, _ = resolve(environment)
        store = solver_of(game).levels(game, folder)
        requirements = store.requirements(level)
        if requirements.states:
            _print_requirements(folder, requirements)
        with count_progress("states", estimates=True) as progress:
            store.compute_level(level, resources, progress)
    rows = store.rows(level)
    if not data_files.on_stdout:
        _print_table(environment, rows)
    data_files.write({"environment": environment, "store": str(folder), "tables": rows}, rows)


def _print_requirements(folder: Path, requirements: Requirements) -> None:
    states, disk, memory = requirements
    free = shutil.disk_usage(_existing(folder)).free
    click.echo(
        f"{states:,} states are left to compute. This needs up to {_size(disk)} of disk space"
        f" ({_size(free)} are free) and {_size(memory)} of memory.",
        err=True,
    )


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
    """Print the sums of the tables of each level."""
    from rich.console import Console
    from rich.table import Table

    table = Table("level", "states", "won", "drawn", "lost", title=title)
    for column in table.columns:
        column.justify = "right"
    for level in sorted({row["level"] for row in rows}, reverse=True):
        sums = [sum(row[name] for row in rows if row["level"] == level) for name in _RESULTS]
        table.add_row(*(f"{number:,}" for number in (level, sum(sums), *sums)))
    Console(highlight=False).print(table)


_RESULTS = ("win", "draw", "loss")
