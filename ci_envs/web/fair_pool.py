"""A thread pool that serves its clients in turn."""

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic
from typing import Any

_PATIENCE = 0.3  # seconds without the start of a job after which the running jobs are long


class FairPool:
    """A thread pool that runs one job of each client in turn. Many jobs of a client do not delay other clients.

    The jobs of a client occupy at most all threads but one. The empty client, which is the server, has no limit.
    """

    def __init__(self, workers: int, name: str, *, reserve: int = 0) -> None:
        """Begin without jobs.

        Args:
            workers: The number of threads.
            name: The beginning of the names of the threads.
            reserve: The number of further threads, for clients without a running job while no job has ended for 0.3 s.
                So several clients with long jobs do not delay another one.
        """
        self._pool = ThreadPoolExecutor(workers + reserve, thread_name_prefix=name)
        self._free, self._reserve, self._most = workers, reserve, max(1, workers - 1)
        # by client, the next client first
        self._waiting: OrderedDict[str, deque[tuple[Future[Any], Callable[[], Any]]]] = OrderedDict()
        self._running: Counter[str] = Counter()  # by client
        self._last_start = 0.0
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
        if self._reserve and client in self._waiting:
            timer = threading.Timer(_PATIENCE, self._start_next)
            timer.daemon = True
            timer.start()
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
            client = next(filter(self._may_start, self._waiting), None)
            if client is None:
                return
            jobs = self._waiting.pop(client)
            future, job = jobs.popleft()
            if jobs:
                self._waiting[client] = jobs
            self._free -= 1
            self._last_start = monotonic()
            self._running[client] += 1
            self._pool.submit(self._run, client, future, job)

    def _may_start(self, client: str) -> bool:
        running = self._running.get(client, 0)
        if self._free <= 0:
            are_long = monotonic() - self._last_start >= 0.9 * _PATIENCE
            return are_long and client != "" and not running and self._free + self._reserve > 0
        return client == "" or running < self._most

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
