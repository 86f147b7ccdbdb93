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


def ray_options(what_they_do: str) -> Callable[[Any], Any]:
    """Return the options ``--workers`` and ``--ray-address``.

    Args:
        what_they_do: What the workers do, for the help.
    """
    workers = click.option(
        "--workers", type=click.IntRange(min=1), help=f"Let this number of processes of a Ray cluster {what_they_do}."
    )
    address = click.option(
        "--ray-address", metavar="ADDRESS", help="Address of the Ray cluster.  [default: one on this machine]"
    )
    return lambda command: workers(address(command))


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


def _in_a_folder(context: click.Context, parameter: click.Parameter, path: Path | None) -> Path | None:
    if path and str(path) != "-" and not path.parent.is_dir():
        name = parameter.opts[0]
        raise click.UsageError(f"{name}: the folder {str(path.parent)!r} does not exist. Create it first.")
    return path
