"""Calls of code that a user brings, which can raise anything."""

from collections.abc import Iterator
from contextlib import contextmanager


class ProgramExitError(RuntimeError):
    """Code of a user called ``sys.exit``, or raised another exception that programs do not catch as an error."""


@contextmanager
def user_code() -> Iterator[None]:
    """Turn an exception that would end the program into a :class:`ProgramExitError`, except Ctrl-C.

    ``sys.exit`` raises such an exception, and so do libraries in Rust when they panic.
    """
    try:
        yield
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ProgramExitError(f"{type(error).__name__}: {error}") from error
