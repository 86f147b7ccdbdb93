"""The worker processes of a server: those that wait for a job, and the memory of all of them together."""

from collections.abc import Mapping
from contextlib import suppress
from threading import Event, Lock, Thread
from time import monotonic

from ci_envs.agent_interface.child_process import ProcessError
from ci_envs.games.game import Game
from ci_envs.web.agent_process import AgentProcess
from ci_envs.web.fork_server import ForkServer, starter
from ci_envs.web.process_memory import MemoryMeter

_INTERVAL = 0.25  # seconds between two looks at the memory while a process has a job
_NOTED_JOBS = 1000  # jobs whose compiled code is on the disk
_SMALL_MB = 100  # the memory of a process that has a simple agent, of which other processes share a part


class AgentProcesses:
    """Worker processes. A process that fails is replaced. Any process can do any job.

    If all processes together use more memory than their budget, large ones without a job end first, and then the
    largest one with a job. Processes with at most 100 MiB end last: the games of simple agents do not wait for a new
    process because of the agents of others. The memory of the server itself does not count: ending processes would not
    reduce it.
    """

    def __init__(
        self, listed: Mapping[str, str], kept: int, memory_mb: int, fork_server: ForkServer | None = None
    ) -> None:
        """Make the pool. Its processes start when they are needed.

        Args:
            listed: The agents that the owner of the server adds.
            kept: The number of processes that are kept without a job.
            memory_mb: The budget of all processes together, in units of 2^20 bytes.
            fork_server: The process that forks them. None means one that starts with the first of them.
        """
        self._listed, self._kept, self._memory_mb = listed, kept, memory_mb
        self._start_program, self._fork_server = starter(fork_server)
        self._all: set[AgentProcess] = set()
        self._idle: list[AgentProcess] = []  # the last used at the end
        self._compiled: dict[tuple[str, Game, str], float] = {}  # by job, the time of the compilation
        self._meter = MemoryMeter()
        self._is_closed = False
        self._is_busy = Event()
        self._lock = Lock()
        Thread(target=self._watch_memory, name="memory", daemon=True).start()

    def start(self, count: int) -> None:
        """Start processes before the first job, without waiting for them."""
        for _ in range(count):
            with suppress(ProcessError):  # the server ends; the next job tries again otherwise
                self.give_back(self._new())

    def close(self) -> None:
        """Kill all processes. Their jobs fail."""
        with self._lock:
            self._is_closed = True
            processes = list(self._all)
        self._is_busy.set()
        for process in processes:
            process.kill()

    def stop(self) -> None:
        """Wait for the end of the processes after :meth:`close`. They have no jobs any more."""
        for process in list(self._all):
            process.stop()
        if self._fork_server is not None:
            self._fork_server.close()

    def take(self, game: Game, spec: str) -> AgentProcess:
        """Return a process for a job of an agent, first one that has made the agent.

        A process that has other agents only stays for their games: a process that is killed loses its agents.

        Raises:
            ProcessError: The process cannot be started, or the pool is closed.
        """
        while (process := self._take_idle(game, spec)) is not None and not process.is_usable:
            self._remove(process)
        process = process or self._new()
        self._is_busy.set()
        return process

    def give_back(self, process: AgentProcess) -> None:
        """Keep a process for the next job, or replace it if it has failed, uses much memory or has compiled code.

        Compiled code takes up to 70 MiB. A new process reads it from the disk in less than 0.1 s, which takes 3 MiB.
        """
        if not process.is_usable or self._has_new_code(process):
            self._remove(process)
            with suppress(ProcessError):  # the next job starts a process
                self._keep(self._new())
        else:
            self._keep(process)

    def _has_new_code(self, process: AgentProcess) -> bool:
        """Return whether a process has compiled code that was not on the disk when the process began.

        Code that a later process compiles again cannot be stored on the disk.
        """
        with self._lock:
            new = [job for job in process.compiled if process.began < self._compiled.get(job, monotonic())]
            self._compiled |= dict.fromkeys(set(new) - self._compiled.keys(), monotonic())
            for job in list(self._compiled)[:-_NOTED_JOBS]:
                del self._compiled[job]
        return bool(new)

    def _take_idle(self, game: Game, spec: str) -> AgentProcess | None:
        with self._lock:
            suitable = [one for one in self._idle if not one.known or one.has_code(game, spec)]
            if not suitable:
                return None
            best = max(suitable, key=lambda one: ((game, spec) in one.known, one.has_code(game, spec)))
            self._idle.remove(best)
            return best

    def _keep(self, process: AgentProcess) -> None:
        with self._lock:
            self._idle.append(process)
            surplus = self._idle.pop(0) if len(self._idle) > self._kept else None
        if surplus is not None:
            self._remove(surplus)

    def _new(self) -> AgentProcess:
        process = AgentProcess(self._listed, self._start_program)
        with self._lock:
            self._all.add(process)
            is_closed = self._is_closed
        if is_closed:
            process.stop()
            raise ProcessError("the server ends")
        return process

    def _remove(self, process: AgentProcess) -> None:
        """Kill a process. The end of a large one takes tenths of a second, for which no job waits."""
        process.kill()
        Thread(target=self._forget, args=(process,), name="end", daemon=True).start()

    def _forget(self, process: AgentProcess) -> None:
        process.stop()
        with self._lock:
            self._all.discard(process)

    def _watch_memory(self) -> None:
        while self._is_busy.wait() and not self._is_closed:
            with self._lock:
                if len(self._idle) == len(self._all):
                    self._is_busy.clear()
            self.limit_memory()
            Event().wait(_INTERVAL)

    def limit_memory(self) -> None:
        """End processes until the memory is within the budget, in the order that the class describes."""
        with self._lock:
            processes = list(self._all)
        pids = [process.pid for process in processes]
        if self._fork_server is not None and self._fork_server.pid is not None:
            pids.append(self._fork_server.pid)
        if self._meter.estimate(pids) <= self._memory_mb:
            return
        used = self._meter.measure(pids)
        total = sum(used.values())

        def priority(process: AgentProcess) -> tuple[bool, bool, float]:
            return used[process.pid] > _SMALL_MB, process in self._idle, used[process.pid]

        for process in sorted(processes, key=priority, reverse=True):
            if total <= self._memory_mb:
                return
            total -= used[process.pid]
            self._end(process)

    def _end(self, process: AgentProcess) -> None:
        with self._lock:
            is_idle = process in self._idle
            if is_idle:
                self._idle.remove(process)
        if is_idle:
            self._remove(process)
        else:
            process.kill("needed more memory than the server has")
