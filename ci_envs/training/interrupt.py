"""Delaying Ctrl-C to a point at which the state of a training is consistent."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Self


class DelayedInterrupt:
    """Delays Ctrl-C until :meth:`check` is called, while it is used as a context manager.

    A second Ctrl-C takes effect at once. Outside the main thread, and in a process that handles SIGINT itself, nothing
    is delayed.
    """

    def __init__(self) -> None:
        self._pending = self._installed = False

    def __enter__(self) -> Self:
        in_main_thread = threading.current_thread() is threading.main_thread()
        if in_main_thread and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._delay)
            self._installed = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def check(self) -> None:
        """Raise the interrupt that was delayed, if there is one.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed.
        """
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt

    def _delay(self, number: int, frame: FrameType | None) -> None:
        self._pending = True
        signal.signal(signal.SIGINT, signal.default_int_handler)
