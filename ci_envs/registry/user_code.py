"""Calls of code that a user brings, which can raise anything."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")
_MOST_CHARACTERS = 500


class UserCodeError(RuntimeError):
    """Code of a user failed, and the message says how.

    For example it called ``sys.exit``, or raised another exception that programs do not catch as an error.
    """


class UserCode:
    """Context manager that turns an exception that would end the program into a :class:`UserCodeError`.

    ``sys.exit`` raises such an exception, and so do libraries in Rust when they panic. Ctrl-C still ends the program.
    """

    def __enter__(self) -> None:
        """Begin the code of the user."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the code of the user.

        Raises:
            UserCodeError: the code raised an exception that would end the program.
        """
        if error is not None and not isinstance(error, Exception | KeyboardInterrupt):
            raise UserCodeError(f"{type(error).__name__}: {error}") from error


def made(what: str, maker: Callable[..., T], /, *arguments: Any, **options: Any) -> T:
    """Return what a class or function of a user makes.

    Args:
        what: what is made, for the message.
        maker: the class or function.
        *arguments: its arguments.
        **options: its arguments by name.

    Raises:
        ValueError: it fails. Its own ValueError, OSError and ImportError are not changed.
    """
    try:
        with UserCode():
            return maker(*arguments, **options)
    except (ValueError, OSError, ImportError):
        raise
    except Exception as error:
        raise ValueError(f"{what} cannot be made: {reason(error)}") from error


def reason(error: Exception) -> str:
    """Return the type and the message of an error as a short line (:func:`short_line`).

    A :class:`UserCodeError` has only a message.
    """
    text = "" if isinstance(error, UserCodeError) else f"{type(error).__name__}: "
    try:
        text += str(error)
    except Exception as second:  # the class of a user
        text += f"its text raises {type(second).__name__}"
    return short_line(text).removesuffix(":")


def short_line(text: str) -> str:
    """Return a text of a user as one line of about 500 characters that terminals can show and files can have.

    Control characters and surrogates are shown as escapes.
    """
    line = " ".join(text[:_MOST_CHARACTERS].split())
    shown = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in line)[:_MOST_CHARACTERS]
    return shown if len(text) <= _MOST_CHARACTERS else f"{shown} ..."
