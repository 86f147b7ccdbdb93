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


def file_option(*names: str, help: str, required: bool = False) -> Callable[[Any], Any]:
    """Return an option that takes a FILE to write; ``-`` is standard output. A FILE in no folder is refused.

    Args:
        names: The name of the parameter of the command, and the names of the option.
        help: What is written to the file.
        required: Whether the option must be given.
    """
    return click.option(
        *names,
        metavar="FILE",
        required=required,
        type=click.Path(dir_okay=False, writable=True, allow_dash=True, path_type=Path),
        callback=_in_a_folder,
        help=help,
    )


def json_option(help_text: str) -> Callable[[Any], Any]:
    """Return the option ``--json FILE``; the command gets it as ``json_path``."""
    return file_option("json_path", "--json", help=help_text)


def _in_a_folder(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    if path and str(path) != "-" and not path.parent.is_dir():
        name = parameter.opts[0]
        raise click.UsageError(f"{name}: the folder {str(path.parent)!r} does not exist. Create it first.")
    return path
