"""Jobs in which agents play, at most one for each game."""

import threading
from collections.abc import Callable
from functools import partial

from ci_envs.web.fair_pool import FairPool


class _Job:
    """A job; ``called`` says whether it was started again while it runs."""

    def __init__(self) -> None:
        self.called = False


class AgentJobs:
    """Let agents play in games, in threads."""

    def __init__(
        self,
        workers: int,
        step: Callable[[str], bool],
        on_error: Callable[[str, Exception], None],
        on_end: Callable[[str], None],
    ) -> None:
        """Make it.

        Args:
            workers: the number of threads.
            step: plays a move of an agent in the game of an id, and returns whether an agent is to go on.
            on_error: called with an id and what ``step`` raised, which ends the job.
            on_end: called with an id when a job has ended.
        """
        self._pool = FairPool(workers, "agent")
        self._step, self._on_error, self._on_end = step, on_error, on_end
        self._running: dict[str, _Job] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Wait for the jobs that are running, and drop the others."""
        self._pool.close()

    def is_running(self, id: str) -> bool:
        """Return whether agents play in a game, or wait for a thread to do so."""
        return id in self._running

    def start(self, id: str, client: str) -> None:
        """Let agents play in a game, on behalf of a client; a job that runs already looks at the game once more."""
        with self._lock:
            job = self._running.get(id)
            if job is not None:
                job.called = True
                return
            job = self._running[id] = _Job()
        self._pool.submit(client, partial(self._work, id, job))

    def cancel(self, id: str) -> None:
        """Stop the job of a game after its current step; another one can start at once."""
        with self._lock:
            stopped = self._running.pop(id, None)
        if stopped is not None:
            self._on_end(id)

    def _work(self, id: str, job: _Job) -> None:
        while True:
            try:
                while self._running.get(id) is job and self._step(id):
                    pass
            except Exception as error:  # of whatever agent
                if self._running.get(id) is job:
                    self._on_error(id, error)
            with self._lock:
                if self._running.get(id) is not job:  # called off: somebody else has told that it ended
                    return
                if not job.called:
                    del self._running[id]
                    break
                job.called = False
        self._on_end(id)
