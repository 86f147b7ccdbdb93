"""Delaying Ctrl-C to a point at which the state of a training is consistent."""

import signal
import threading
from types import FrameType
from typing import Self


class DelayedInterrupt:
    """Context manager that delays Ctrl-C until :meth:`check` is called.

    A second Ctrl-C takes effect at once. Outside the main thread, and in a process with its own handler of SIGINT, the
    context manager has no effect.
    """

    def __init__(self) -> None:
        self._pending = self._installed = False

    def __enter__(self) -> Self:
        in_main_thread = threading.current_thread() is threading.main_thread()
        if in_main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._delay)
            self._installed = True
        return self

    def __exit__(self, *error: object) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def check(self) -> None:
        """Raise the delayed interrupt, if Ctrl-C was pressed.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt

    def _delay(self, number: int, frame: FrameType | None) -> None:
        self._pending = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
