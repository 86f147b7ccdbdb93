"""Options that several commands share."""

import errno
import os
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import click
from typing_extensions import override

from ci_envs.agent_interface.child_process import ProcessLimits
from ci_envs.cli.errors import usage_errors
from ci_envs.registry.options import options_of
from ci_envs.storage.files import folder_path

seed_option = click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Seed of all random numbers. The same seed gives the same results.",
)
max_cycles_option = click.option(
    "--max-cycles",
    metavar="PLIES",
    type=click.IntRange(min=1),
    help="End a game as a draw after this number of plies.  [default: 200 for games that can cycle, else no limit]",
)


def ray_options(task: str) -> Callable[[Any], Any]:
    """Return the options ``--workers`` and ``--ray-address``.

    Args:
        task: The task of the workers for the help, for example ``play the games``.
    """
    workers = click.option(
        "--workers", type=click.IntRange(min=1), help=f"Number of processes of a Ray cluster that {task}."
    )
    address = click.option(
        "--ray-address",
        metavar="ADDRESS",
        help="Address of the Ray cluster.  [default: start a cluster on this machine]",
    )
    return lambda command: workers(address(command))


class _Folder(click.Path):
    """The path of a folder. A folder in which the command writes is refused if this is impossible."""

    def __init__(self, writes: bool) -> None:
        super().__init__(file_okay=False, path_type=Path)
        self._writes = writes

    @override
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            folder = Path(str(super().convert(folder_path(value), param, ctx)))
            if self._writes:
                place = next(place for place in (folder, *folder.absolute().parents) if os.path.lexists(place))
                with TemporaryFile(dir=place):
                    pass
        except ValueError as error:
            self.fail(str(error), param, ctx)
        except OSError as error:
            self.fail(f"{str(value)!r} cannot be written: {error.strerror}", param, ctx)
        return folder


FOLDER = _Folder(writes=False)
"""The type of the path of a folder that a command reads, or also writes."""

OUTPUT_FOLDER = _Folder(writes=True)
"""The type of the path of a folder in which a command writes. It is made if it does not exist."""


def file_option(*names: str, help: str, required: bool = False, on_stdout: bool = False) -> Callable[[Any], Any]:
    """Return an option for the name of a FILE that the command writes.

    The option refuses a FILE that cannot be written or that another option writes, before the work that it is for.

    Args:
        names: The name of the parameter of the command, and the names of the option.
        help: The help text of the option.
        required: Whether the option must be given.
        on_stdout: Whether ``-`` is standard output. Otherwise it is refused.
    """
    return click.option(
        *names,
        metavar="FILE",
        required=required,
        type=click.Path(dir_okay=False, writable=True, allow_dash=True, path_type=Path),
        callback=partial(_check_file, on_stdout=on_stdout),
        help=help,
    )


def _check_file(
    context: click.Context, parameter: click.Parameter, path: Path | None, *, on_stdout: bool
) -> Path | None:
    name = parameter.opts[0]
    if path is None or (on_stdout and str(path) == "-"):
        return path
    if str(path) == "-":
        raise click.UsageError(f"{name}: this cannot be printed, so give a name of a file instead of '-'")
    target = Path(os.path.realpath(path))
    other = context.meta.setdefault(f"{__name__} {target}", name)
    if other != name and (path.is_file() or not path.exists()):  # a device can be written twice
        raise click.UsageError(f"{other} and {name} both write {str(path)!r}: choose two files")
    try:
        if path.is_dir():  # an empty name means the current folder
            raise IsADirectoryError(f"{str(path)!r} is a folder")
        if not path.exists():
            if not target.parent.is_dir():
                folder = (target if path.is_symlink() else path).parent
                raise FileNotFoundError(f"the folder {str(folder)!r} does not exist. Create it first.")
            if target.is_symlink():
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            with TemporaryFile(dir=target.parent):
                pass
    except OSError as error:
        reason = f"{str(path)!r} cannot be written: {error.strerror}" if error.strerror else str(error)
        raise click.UsageError(f"{name}: {reason}") from None
    return path


def isolation_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of agents in processes of their own. The command receives them in its argument ``isolate``."""

    @wraps(command)
    def with_isolation(*, isolate: bool, **options: Any) -> None:
        given = {name: value for name in ProcessLimits._fields if (value := options.pop(name)) is not None}
        with usage_errors():
            limits = ProcessLimits(**given).checked()
        command(isolate=limits if isolate or given else False, **options)

    wrapped: Callable[..., None] = with_isolation
    for option in reversed(list(options_of(ProcessLimits).values())):
        text = option.declared.doc
        help = f"{text[0].upper()}{text[1:]}; implies --isolate.  [default: {option.default:g}]"
        wrapped = click.option(f"--{option.name.replace('_', '-')}", type=option.type, help=help)(wrapped)
    text = "Run each agent that is not one of ours in a process of its own, where a failure loses only a game."
    return click.option("--isolate", is_flag=True, help=text)(wrapped)
