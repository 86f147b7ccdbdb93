"""Jobs that let agents play in games, at most one job for each game."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any


class _Job:
    """A job. ``called`` is whether it was started again while it runs."""

    def __init__(self) -> None:
        self.called = False
        self.canceled = threading.Event()


class AgentJobs:
    """Run jobs in a pool, in which agents play in games."""

    def __init__(
        self,
        submit: Callable[[str, Callable[[], None]], Any],
        step: Callable[[str, threading.Event], bool],
        on_error: Callable[[str, Exception], None],
        on_end: Callable[[str], None],
    ) -> None:
        """Begin without jobs.

        Args:
            submit: Adds a job of a client to the pool.
            step: Plays a move of an agent in the game with an id, and returns whether to play another move. The event
                is set when the job is canceled.
            on_error: Called with an id and the exception of ``step``. The job then ends.
            on_end: Called with an id after the end of a job.
        """
        self._submit, self._step, self._on_error, self._on_end = submit, step, on_error, on_end
        self._running: dict[str, _Job] = {}
        self._lock = threading.Lock()

    def is_running(self, id: str) -> bool:
        """Return whether agents play in a game or wait for a thread."""
        return id in self._running

    def start(self, id: str, client: str) -> None:
        """Let agents play in a game for a client. A job that is already running calls ``step`` once more at its end."""
        with self._lock:
            job = self._running.get(id)
            if job is not None:
                job.called = True
                return
            job = self._running[id] = _Job()
        self._submit(client, partial(self._work, id, job))

    def cancel(self, id: str) -> None:
        """Cancel the job of a game, whose current step ends soon. A new job can start immediately."""
        with self._lock:
            canceled = self._running.pop(id, None)
        if canceled is not None:
            canceled.canceled.set()
            self._on_end(id)

    def _work(self, id: str, job: _Job) -> None:
        while True:
            try:
                while self._running.get(id) is job and self._step(id, job.canceled):
                    pass
            except Exception as error:  # an agent can raise anything
                job.called = False  # a call during the step has the answer too
                if self._running.get(id) is job:
                    self._on_error(id, error)
            with self._lock:
                if self._running.get(id) is not job:  # canceled: ``cancel`` has called ``on_end``
                    return
                if not job.called:
                    del self._running[id]
                    break
                job.called = False
        self._on_end(id)
