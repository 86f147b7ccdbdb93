"""A thread pool that serves its clients in turn."""

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


class FairPool:
    """A thread pool that runs one job of each client in turn. Many jobs of a client do not delay other clients.

    The jobs of a client occupy at most all threads but one. The empty client, which is the server, has no limit.
    """

    def __init__(self, workers: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix=name)
        self._free, self._most = workers, max(1, workers - 1)
        # by client, the next client first
        self._waiting: OrderedDict[str, deque[tuple[Future[Any], Callable[[], Any]]]] = OrderedDict()
        self._running: Counter[str] = Counter()  # by client
        self._is_closed = False
        self._lock = threading.Lock()

    @property
    def is_waiting(self) -> bool:
        """Return whether a job waits for a thread."""
        return bool(self._waiting)

    def submit(self, client: str, job: Callable[[], Any]) -> "Future[Any]":
        """Add a job of a client, and return its result. It is canceled if the pool is closed before the job begins."""
        future: Future[Any] = Future()
        with self._lock:
            if self._is_closed:
                future.cancel()
            else:
                self._waiting.setdefault(client, deque()).append((future, job))
        self._start_next()
        return future

    def close(self) -> None:
        """Wait for the running jobs, and cancel the others."""
        with self._lock:
            self._is_closed = True
            waiting = [future for jobs in self._waiting.values() for future, _ in jobs]
            self._waiting.clear()
        for future in waiting:
            future.cancel()
        self._pool.shutdown(wait=True)

    def _start_next(self) -> None:
        with self._lock:
            client = next((one for one in self._waiting if not one or self._running[one] < self._most), None)
            if client is None or not self._free:
                return
            jobs = self._waiting.pop(client)
            future, job = jobs.popleft()
            if jobs:
                self._waiting[client] = jobs
            self._free -= 1
            self._running[client] += 1
            self._pool.submit(self._run, client, future, job)

    def _run(self, client: str, future: "Future[Any]", job: Callable[[], Any]) -> None:
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(job())
            except Exception as error:  # the owner of the future handles it
                future.set_exception(error)
        with self._lock:
            self._free += 1
            self._running[client] -= 1
            self._running += Counter()  # removes clients without jobs
        self._start_next()
