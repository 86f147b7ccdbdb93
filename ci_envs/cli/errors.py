"""One-line errors of the command line."""

import re
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from click.core import ParameterSource
from typing_extensions import override

from ci_envs.cli.streams import is_output_failure, optional_stderr, output_errors
from ci_envs.cluster import ClusterError
from ci_envs.solver.errors import UnknownValueError
from ci_envs.storage.files import encodable

NOTHING_KEPT = "The results are not kept: the same command starts again."
"""The advice after an interrupt of a command that cannot continue."""


class OneLineErrorGroup(click.Group):
    """A group of commands that reports wrong usage in one line, without the usage text of the command.

    It also reports in one line that the output cannot be written, and that a solution does not contain a position, for
    example when the agent ``exact`` plays a game of which only the last positions are solved.
    """

    @override
    def main(self, *args: Any, **kwargs: Any) -> Any:
        with optional_stderr(), output_errors(), _termination_as_interrupt(), _one_line_warnings():
            return super().main(*args, **kwargs)

    @override
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            error.ctx = None
            raise
        except UnknownValueError as error:
            raise click.UsageError(str(error)) from None
        except EOFError as error:  # Click reports it as "Aborted!", which is right only for the end of the input
            from ci_envs.agents.human import InputEndedError

            if isinstance(error, InputEndedError):
                raise
            raise RuntimeError(f"unexpected end of a file: {error}") from error
        except Exception as error:
            if not type(error).__module__.startswith("numba."):
                raise
            from ci_envs.checking.reason import reason_of

            raise click.ClickException(f"the rules of the game cannot be compiled: {reason_of(error)}") from error


@contextmanager
def _termination_as_interrupt() -> Iterator[None]:
    """Treat SIGTERM and SIGHUP as Ctrl-C, which saves what was done and stops the processes of agents.

    A handler of another program stays, and so does ``nohup``.
    """
    found = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        found = []
    changed = [number for number in found if signal.getsignal(number) is signal.SIG_DFL]
    for number in changed:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def _one_line_warnings() -> Iterator[None]:
    """Show a warning without the line of our code that gives it."""
    before = warnings.formatwarning
    warnings.formatwarning = lambda message, *_: f"WARNING: {message}\n"
    try:
        yield
    finally:
        warnings.formatwarning = before


@contextmanager
def interrupt_advice(advice: str) -> Iterator[None]:
    """Tell a user who interrupts the ``with`` block how to continue."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"Interrupted. {advice}", err=True)
        raise


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turn an error caused by the arguments of a command into a one-line message with exit status 2."""
    try:
        yield
    except (ValueError, OSError, ImportError, FloatingPointError, OverflowError, MemoryError) as error:
        if is_output_failure(error):
            raise
        raise click.UsageError(_with_flags(encodable(str(error)))) from None


def write_each(*writers: Callable[[], None]) -> None:
    """Call functions that write results, all of them also if some fail.

    Raises:
        click.UsageError: One or more of them failed. The message has one line.
    """
    failures = []
    for write in writers:
        try:
            with usage_errors():
                write()
        except click.UsageError as error:
            failures.append(error.message)
    if failures:
        raise click.UsageError("; ".join(failures))


@contextmanager
def cluster_errors() -> Iterator[None]:
    """Turn the error of a Ray cluster into a one-line message with exit status 1."""
    try:
        yield
    except ClusterError as error:
        raise click.ClickException(_with_flags(str(error))) from None


def flag_of(name: str) -> str:
    """Return the flag of an option: ``--random-plies`` for ``random_plies``."""
    return f"--{name.replace('_', '-')}"


def _with_flags(message: str) -> str:
    """Replace the names of options in a message of the Python API by the flags of the running command.

    ``random_plies=9 is too large`` becomes ``--random-plies 9 is too large``. The function replaces a name only if the
    user typed its flag, because an option of an agent or an environment can have the same name.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return message
    options = [option for option in context.command.params if isinstance(option, click.Option)]
    flags = {str(option.name): max(option.opts, key=len) for option in options}
    for name, flag in flags.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            message = re.sub(rf"(?<![\w:,]){name}=(?=['\w.-])", f"{flag} ", message).replace(f"{flag} True", flag)
            message = re.sub(rf"^{name}(?= must )", flag, message)
    return re.sub(r"(?<=: give )\w+", lambda match: flags.get(match[0], match[0]), message)
