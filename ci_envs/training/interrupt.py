"""Delaying Ctrl-C to a point at which the state of a training is consistent."""

import signal
import threading
from types import FrameType
from typing import Self

INTERRUPTS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that interrupt a command. The command line treats the others as Ctrl-C."""


class DelayedInterrupt:
    """Context manager that delays Ctrl-C until :meth:`check` is called.

    A second Ctrl-C takes effect at once. Outside the main thread, and in a process with its own handler of SIGINT, the
    context manager has no effect.
    """

    def __init__(self) -> None:
        self._pending, self._installed = False, list[signal.Signals]()

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in INTERRUPTS:
                if signal.getsignal(number) is signal.default_int_handler:
                    signal.signal(number, self._delay)
                    self._installed.append(number)
        return self

    def __exit__(self, *error: object) -> None:
        for number in self._installed:
            signal.signal(number, signal.default_int_handler)

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
        signal.signal(number, signal.default_int_handler)
