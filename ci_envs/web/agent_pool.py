"""The worker processes in which the agents of a server compute."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from typing import Any

from ci_envs.agent_interface.child_process import ProcessError
from ci_envs.games.game import Game
from ci_envs.web.agent_process import AgentError, AgentProcess
from ci_envs.web.catalog import HUMAN, Catalog
from ci_envs.web.fair_pool import FairPool
from ci_envs.web.limits import BusyError

_CHECKED_SPECS = 1000  # the number of spec strings of which the result of a check is kept
_CHECK_SECONDS = 20.0  # the time limit of a check, with the wait for a process


class AgentPool:
    """Worker processes. Each job has a process of its own, and a process that fails is replaced.

    A job occupies its thread until the process is replaced. So the jobs of one client leave one process to the others,
    which is ready at any time.
    """

    def __init__(self, catalog: Catalog, workers: int, name: str) -> None:
        """Make a pool. Its processes start when they are needed.

        Args:
            catalog: The agents.
            workers: The number of processes.
            name: The beginning of the names of the threads.
        """
        self._catalog = catalog
        self._jobs = FairPool(workers, name)
        self._all: set[AgentProcess] = set()
        self._idle: list[AgentProcess] = []
        self._checked: dict[tuple[Game, str], bool] = {}  # whether the agent can analyse, the oldest first
        self._is_closed = False
        self._lock = threading.Lock()

    def start(self, count: int) -> None:
        """Start processes before the first job, without waiting for them."""
        for _ in range(count):
            with suppress(ProcessError):  # the pool is closed: a test starts the app again after its end
                self._idle.append(self._new())

    def close(self) -> None:
        """Kill all processes. Running jobs fail, and the others are canceled."""
        with self._lock:
            self._is_closed = True
            for process in self._all:
                process.kill()
        self._jobs.close()
        for process in self._all:
            process.stop()

    @property
    def is_waiting(self) -> bool:
        """Return whether a job waits for a process."""
        return self._jobs.is_waiting

    def submit(self, client: str, job: Callable[[], Any]) -> "Future[Any]":
        """Add a job of a client, which can call :meth:`process`."""
        return self._jobs.submit(client, job)

    @contextmanager
    def process(self, game: Game, spec: str) -> Iterator[AgentProcess]:
        """Yield a process for one job, first one that has made the agent.

        Raises:
            AgentError: The process cannot be started, or the pool is closed.
        """
        try:
            process = self._take(game, spec)
        except ProcessError as error:
            raise AgentError(f"The agents cannot compute: {error}.") from None
        try:
            yield process
        finally:
            self._give_back(process)

    def check(self, client: str, game: Game, spec: str) -> bool:
        """Check that a spec string can have a seat, and return whether the agent can analyse positions.

        Raises:
            ValueError: The agent or an option is invalid, or the agent does not play this game.
            ImportError: The agent needs a package that is not installed.
            BusyError: No process is free within 20 s.
        """
        if spec == HUMAN:
            return False
        if (game, spec) not in self._checked:
            future = self.submit(client, lambda: self._can_analyse(game, spec))
            try:
                self._checked[game, spec] = future.result(_CHECK_SECONDS)
            except (TimeoutError, CancelledError):
                future.cancel()
                raise BusyError("The server is busy. Retry in a few seconds.") from None
            except AgentError as error:
                raise ValueError(f"{error} Choose another agent.") from None
            with self._lock:
                while len(self._checked) > _CHECKED_SPECS:
                    del self._checked[next(iter(self._checked))]
        return self._checked[game, spec]

    def _can_analyse(self, game: Game, spec: str) -> bool:
        with self.process(game, spec) as process:
            return process.can_analyse(game, spec)

    def _take(self, game: Game, spec: str) -> AgentProcess:
        with self._lock:
            self._idle = [process for process in self._idle if process.is_usable]
            if self._idle:
                # if none has the agent, the one with the fewest agents: the others stay fast for their games
                best = max(self._idle, key=lambda one: ((game, spec) in one.known, -len(one.known)))
                self._idle.remove(best)
                return best
        return self._new()

    def _give_back(self, process: AgentProcess) -> None:
        if not process.is_usable:
            process.stop()
            with self._lock:
                self._all.discard(process)
            with suppress(ProcessError):  # the next job starts a process
                process = self._new()
                process.wait_until_ready()
        with self._lock:
            if process.is_usable:
                self._idle.append(process)

    def _new(self) -> AgentProcess:
        with self._lock:
            if self._is_closed:
                raise ProcessError("the server ends")
            process = AgentProcess(self._catalog.listed)
            self._all.add(process)
            return process
