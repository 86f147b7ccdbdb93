"""Preparation of a process for compilations, and notification of them. Code from the disk is not compiled."""

from collections.abc import Callable
from functools import partial

from numba.core.event import Event, Listener, register, unregister
from numba.core.registry import cpu_target


class _Compilations(Listener):  # type: ignore[misc]
    def __init__(self, notify: Callable[[], object]) -> None:
        self._notify = notify

    def on_start(self, event: Event) -> None:
        """Notify of the begin of a compilation."""
        self._notify()

    def on_end(self, event: Event) -> None:
        """Ignore the end of a compilation."""


def notify_of_compilations(notify: Callable[[], object]) -> Callable[[], None]:
    """Call a function at the begin of each compilation in this process, and return a function that ends this."""
    listener = _Compilations(notify)
    register("numba:compile", listener)
    return partial(unregister, "numba:compile", listener)


def load_compiler() -> None:
    """Load the parts of Numba that the first kernel of a process needs, whether it is compiled or read from the disk.

    They take 0.3 s and 40 MB. Processes that are forked afterwards share them.
    """
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
