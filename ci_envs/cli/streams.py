"""Standard output and stderr that cannot show some characters, or that cannot be written."""

import codecs
import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import click
from typing_extensions import override

if TYPE_CHECKING:
    from typing_extensions import Buffer

_FAILURES = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF, errno.EAGAIN)
_SIMILAR = {"\N{BULLET}": "*", "\N{HORIZONTAL ELLIPSIS}": "..."}


def _similar_or_escaped(error: UnicodeError) -> tuple[str, int]:
    """Return the replacement of a character that an encoding does not have, and the place after it."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    character = error.object[error.start]
    return _SIMILAR.get(character) or character.encode("ascii", "backslashreplace").decode(), error.start + 1


codecs.register_error("ci_envs.similar_or_escaped", _similar_or_escaped)


class _OptionalOutput(io.FileIO):
    """A file that ignores what it cannot write."""

    @override
    def write(self, content: "Buffer", /) -> int:
        try:
            return super().write(content) or memoryview(content).nbytes
        except OSError:
            return memoryview(content).nbytes


@contextmanager
def optional_stderr() -> Iterator[None]:
    """Continue if stderr cannot be written, for example on a full disk, because it has only progress and remarks."""
    before = sys.stderr
    buffer = getattr(before, "buffer", None)
    if isinstance(getattr(buffer, "raw", buffer), io.FileIO):
        file = io.BufferedWriter(_OptionalOutput(before.fileno(), "w", closefd=False))
        sys.stderr = io.TextIOWrapper(file, before.encoding, line_buffering=True)
    try:
        yield
    finally:
        sys.stderr = before


@contextmanager
def output_errors() -> Iterator[None]:
    """Print characters that the terminal does not have as escapes, and report in one line that output fails."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="ci_envs.similar_or_escaped")
    try:
        try:
            yield
        finally:
            print(end="", flush=True)
    except OSError as error:
        if not is_output_failure(error):
            raise
        _discard_output()
        click.echo(f"Error: the output cannot be written: {error.strerror}", err=True)
        sys.exit(1)


def is_output_failure(error: Exception) -> bool:
    """Return whether an error is that of writing to standard output, which has no name."""
    return isinstance(error, OSError) and error.filename is None and error.errno in _FAILURES


def _discard_output() -> None:
    """Discard what is still in the buffer of standard output, which Python would write at the end."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
