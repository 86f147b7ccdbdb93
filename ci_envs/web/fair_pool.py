"""A thread pool that serves its clients in turn."""

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


class FairPool:
    """A thread pool that runs one job of each client in turn. Many jobs of a client do not delay other clients."""

    def __init__(self, workers: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix=name)
        self._waiting: OrderedDict[str, deque[Callable[[], None]]] = OrderedDict()  # by client, the next client first
        self._lock = threading.Lock()

    def submit(self, client: str, job: Callable[[], None]) -> None:
        """Add a job of a client."""
        with self._lock:
            self._waiting.setdefault(client, deque()).append(job)
        self._pool.submit(self._run_next)

    def close(self) -> None:
        """Wait for the running jobs, and discard the others."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _run_next(self) -> None:
        with self._lock:
            client, jobs = self._waiting.popitem(last=False)
            job = jobs.popleft()
            if jobs:
                self._waiting[client] = jobs
        job()
