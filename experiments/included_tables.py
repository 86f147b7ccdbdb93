"""Make the tables of Quixo in the package: ``python -m experiments.included_tables``.

The command computes the tables of 5 x 5 with at least 24 cubes in a folder, unless the folder contains them, and writes
the file of the package. The same tables give the same file.
"""

from pathlib import Path

import click

from ci_envs import Quixo
from ci_envs.cli.progress import count_progress
from ci_envs.solver.quixo_included import IncludedStore, included_path, write_included
from ci_envs.solver.quixo_store import QuixoStore

GAME, CUBES = Quixo(), 24


@click.command()
@click.option(
    "--store",
    "folder",
    default="build/tables",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the computed tables.",
)
@click.option("--threads", default=2, show_default=True, type=click.IntRange(min=1), help="Number of threads.")
def main(folder: Path, threads: int) -> None:
    """Compute the tables, write the file, and compare it with the tables."""
    store, path = QuixoStore(GAME, folder), included_path(GAME)
    with count_progress("states", estimates=True) as progress:
        store.compute(CUBES, threads=threads, progress=progress)
    path.parent.mkdir(exist_ok=True)
    write_included(store, CUBES, path)
    included = IncludedStore(GAME, path)
    different = [cls for cls in included.all_counts() if (included.content(cls) != store.content(cls)).any()]
    click.echo(f"{path}: {path.stat().st_size:,} bytes, {len(different)} tables that differ from those in {folder}")


if __name__ == "__main__":
    main()
