"""Notifications of changes of games, from any thread to the event loops of requests and pages."""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


class Listeners:
    """The listeners to the changes of each game."""

    def __init__(self) -> None:
        """Begin without listeners."""
        self._listeners: dict[str, list[Callable[[], None]]] = defaultdict(list)
        self._lock = threading.Lock()

    @contextmanager
    def event(self, id: str) -> Iterator[asyncio.Event]:
        """Yield an asyncio event that is set by each :meth:`notify` of a game."""
        loop, event = asyncio.get_running_loop(), asyncio.Event()

        def listener() -> None:
            with suppress(RuntimeError):  # the event loop is closed: the server has stopped
                loop.call_soon_threadsafe(event.set)

        with self._lock:
            self._listeners[id].append(listener)
        try:
            yield event
        finally:
            with self._lock:
                self._listeners[id].remove(listener)
                if not self._listeners[id]:
                    del self._listeners[id]

    def notify(self, id: str) -> None:
        """Set the events of a game."""
        with self._lock:
            listeners = list(self._listeners.get(id, ()))
        for listener in listeners:
            listener()
