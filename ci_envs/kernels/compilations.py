"""Notification of compilations. Code that is read from the disk is not compiled."""

from collections.abc import Callable

from numba.core.event import Event, Listener, register


class _Compilations(Listener):  # type: ignore[misc]
    def __init__(self, notify: Callable[[], object]) -> None:
        self._notify = notify

    def on_start(self, event: Event) -> None:
        """Notify of the begin of a compilation."""
        self._notify()

    def on_end(self, event: Event) -> None:
        """Ignore the end of a compilation."""


def notify_of_compilations(notify: Callable[[], object]) -> None:
    """Call a function at the begin of each compilation in this process from now on."""
    register("numba:compile", _Compilations(notify))
