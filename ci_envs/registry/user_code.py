"""Calls of code that a user brings, which can raise anything."""

from types import TracebackType


class UserCodeError(RuntimeError):
    """Code of a user failed. The message has the type of the failure.

    It called ``sys.exit``, or raised another exception that programs do not catch as an error.
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
