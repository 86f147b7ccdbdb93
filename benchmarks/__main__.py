"""Run the benchmarks and print a table: ``python -m benchmarks``."""

import json
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track

from benchmarks.clock import on_cores
from benchmarks.results import LEAST_SPEED, Earlier, results, table
from benchmarks.rows import ROWS
from ci_envs.storage.files import write_whole

_WIDTH = 100  # minimum width of the table: rich uses 80 columns for a pipe, which would cut figures off


@click.command()
@click.option("--json", "file", type=click.Path(path_type=Path), help="Also write the results to this file.")
@click.option(
    "--against",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help=f"Compare with this file of an earlier run on the same machine. Rows with less than {LEAST_SPEED} times the "
    "earlier speed are marked, and the exit status is then 1.",
)
@click.option("--only", multiple=True, metavar="TEXT", help="Run only the groups that contain this text; repeatable.")
def main(file: Path | None, against: Path | None, only: tuple[str, ...]) -> None:
    """Run the benchmarks and print the table."""
    rows = [row for row in ROWS if not only or any(text in row.group for text in only)]
    if not rows:
        groups = ", ".join(dict.fromkeys(row.group for row in ROWS))
        raise click.BadParameter(f"no group contains {' or '.join(map(repr, only))}. Groups: {groups}")
    try:
        earlier = None if against is None else Earlier(against)
    except (OSError, ValueError) as error:
        raise click.BadParameter(str(error)) from None
    console = Console()
    console.width = max(console.width, _WIDTH)
    measured, notes = {}, []
    for row in track(rows, "measuring", console=Console(stderr=True), transient=True):
        try:
            with on_cores(row.cores):
                measured[row] = row.measure()
        except ImportError as error:
            notes.append(f"{row.name}: skipped, {error}")
    console.print(table(measured, earlier))
    console.print("ratio: the speed divided by the speed of the first other library in the group", highlight=False)
    for note in notes:
        console.print(note)
    if file is not None:
        write_whole(file, json.dumps(results(measured), indent=1).encode())
    slower = [] if earlier is None else earlier.slower(measured)
    for row in slower:
        console.print(f"slower than in {against}: {row.group}, {row.name}", highlight=False)
    if slower:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
