"""Options that several commands have."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

seed_option = click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(min=0), help="The same seed repeats the result."
)
max_cycles_option = click.option(
    "--max-cycles",
    metavar="PLIES",
    type=click.IntRange(min=1),
    help="End a game as a draw after this number of plies.  [default: 200 for games that can cycle, else no limit]",
)


def json_option(help_text: str) -> Callable[[Any], Any]:
    """Return the option ``--json FILE``; the command gets it as ``json_path``. A FILE in no folder is refused."""
    return click.option(
        "json_path",
        "--json",
        metavar="FILE",
        type=click.Path(dir_okay=False, writable=True, allow_dash=True, path_type=Path),
        callback=_in_a_folder,
        help=help_text,
    )


def _in_a_folder(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    if path and str(path) != "-" and not path.parent.is_dir():
        raise click.UsageError(f"--json: the folder {str(path.parent)!r} does not exist. Create it first.")
    return path
