"""The jobs of agents in the worker processes of a server."""

from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from threading import Lock
from typing import Any

from ci_envs.agent_interface.child_process import ProcessError
from ci_envs.games.game import Game
from ci_envs.web.agent_process import AgentError, AgentProcess
from ci_envs.web.agent_processes import AgentProcesses
from ci_envs.web.catalog import HUMAN
from ci_envs.web.fair_pool import FairPool
from ci_envs.web.limits import BusyError

_RESERVE = 1  # further jobs for each worker, of clients that have no other job
_CHECKED_SPECS = 1000  # the number of spec strings of which the result of a check is kept
_CHECK_SECONDS = 20.0  # the time limit of a check, with the wait for a process


class AgentPool:
    """Jobs, each with a worker process of its own.

    A job occupies its thread until its process is replaced. So the jobs of one client leave one thread to the others.
    Processes start in milliseconds, so that a client without a job need not wait for the long jobs of others.
    """

    def __init__(self, processes: AgentProcesses, workers: int, name: str) -> None:
        """Make a pool without jobs.

        Args:
            processes: The worker processes.
            workers: The number of jobs at a time. As many more are for clients without another job.
            name: The beginning of the names of the threads.
        """
        self._processes = processes
        self._jobs = FairPool(workers, name, reserve=_RESERVE * workers)
        self._checked: dict[tuple[Game, str], bool] = {}  # whether the agent can analyse, the oldest first
        self._lock = Lock()

    def close(self) -> None:
        """Wait for the running jobs, which fail if the processes are closed, and cancel the others."""
        self._jobs.close()

    @property
    def is_waiting(self) -> bool:
        """Return whether a job waits for a thread."""
        return self._jobs.is_waiting

    def submit(self, client: str, job: Callable[[], Any]) -> "Future[Any]":
        """Add a job of a client, which can call :meth:`process`."""
        return self._jobs.submit(client, job)

    @contextmanager
    def process(self, game: Game, spec: str) -> Iterator[AgentProcess]:
        """Yield a process for one job, first one that has made the agent.

        Raises:
            AgentError: The process cannot be started, or the server ends.
        """
        try:
            process = self._processes.take(game, spec)
        except ProcessError as error:
            raise AgentError(f"The agents cannot compute: {error}.") from None
        try:
            yield process
        finally:
            self._processes.give_back(process)

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
