"""Jobs that let agents play in games, at most one job for each game."""

import threading
from collections.abc import Callable
from functools import partial

from ci_envs.web.fair_pool import FairPool


class _Job:
    """A job. ``called`` is whether it was started again while it runs."""

    def __init__(self) -> None:
        self.called = False


class AgentJobs:
    """Run jobs in threads, in which agents play in games."""

    def __init__(
        self,
        workers: int,
        step: Callable[[str], bool],
        on_error: Callable[[str, Exception], None],
        on_end: Callable[[str], None],
    ) -> None:
        """Make the threads.

        Args:
            workers: The number of threads.
            step: Plays a move of an agent in the game with an id, and returns whether to play another move.
            on_error: Called with an id and the exception of ``step``. The job then ends.
            on_end: Called with an id after the end of a job.
        """
        self._pool = FairPool(workers, "agent")
        self._step, self._on_error, self._on_end = step, on_error, on_end
        self._running: dict[str, _Job] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Wait for the running jobs, and discard the others."""
        self._pool.close()

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
        self._pool.submit(client, partial(self._work, id, job))

    def cancel(self, id: str) -> None:
        """Stop the job of a game after its current step. A new job can start immediately."""
        with self._lock:
            stopped = self._running.pop(id, None)
        if stopped is not None:
            self._on_end(id)

    def _work(self, id: str, job: _Job) -> None:
        while True:
            try:
                while self._running.get(id) is job and self._step(id):
                    pass
            except Exception as error:  # an agent can raise anything
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
