"""A fork server: a process that has imported the agents and Numba, and forks a worker process in milliseconds.

The worker processes share the memory of the modules. A new interpreter would take seconds, and 150 MiB of its own.
``ci-envs serve`` forks its fork server from itself, so that it shares this memory too. In other programs, and if the
fork server has ended, it is a new process (``python -m ci_envs.web.fork_server``). It does nothing but fork, so that
its forks are safe.
"""

import gc
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from threading import Lock, active_count
from time import monotonic, sleep
from typing import IO, NoReturn

from ci_envs.agent_interface.child_process import Program, run_command
from ci_envs.kernels.compilations import load_compiler

_WORKER = "ci_envs.web.agent_worker"
_AGENTS = ("random", "exact", "search.minimax", "search.mcts", "alphazero.agent")  # imported before the forks
_FORK = 0  # the request to fork; any other request is the number of a process to look at
_NUMBER = struct.Struct("!q")  # requests and answers
_RUNNING = 1 << 32  # no exit status has this value
_PAUSE = 0.01  # seconds between two looks at a process that is to end


class ForkServer:
    """The fork server of this process. It starts with the first worker process, and again if it has ended."""

    def __init__(self) -> None:
        """Make a fork server that is not started."""
        self._pid: int | None = None
        self._socket: socket.socket | None = None
        self._is_closed = False
        self._lock = Lock()

    @property
    def pid(self) -> int | None:
        """The number of the process, or None if it is not started."""
        return self._pid

    def fork(self) -> None:
        """Start as a copy of this process, which shares the memory of the modules and of Numba with it.

        Call this before the process has another thread, or files and secrets that are not for agents.
        """
        load_compiler()
        _freeze()
        here, there = socket.socketpair()
        with there:
            self._pid = os.fork()
            if not self._pid:
                here.close()
                _run(there)
        self._socket = here

    def start_worker(self, errors: IO[bytes]) -> Program:
        """Start a worker process.

        Args:
            errors: The file for its standard error output.

        Raises:
            OSError: The process cannot be started.
        """
        jobs, answers = os.pipe(), os.pipe()
        try:
            with self._lock:
                pid = self._ask(_FORK, jobs[0], answers[1], errors.fileno())
                server = self._socket
        except OSError:
            os.close(jobs[1])
            os.close(answers[0])
            raise
        finally:
            os.close(jobs[0])
            os.close(answers[1])
        return _ForkedProcess(
            pid, os.fdopen(jobs[1], "wb"), os.fdopen(answers[0], "rb"), lambda: self._poll(pid, server)
        )

    def close(self) -> None:
        """End the fork server. The worker processes end when their standard input is closed."""
        with self._lock:
            self._is_closed = True
            self._stop()

    def _poll(self, pid: int, server: socket.socket | None) -> int | None:
        """Return the exit status of a worker process that a fork server has forked, or None while it runs."""
        with self._lock:
            if server is self._socket is not None:
                status = self._ask(pid)
                return None if status == _RUNNING else status
        return -signal.SIGKILL  # its fork server has ended

    def _ask(self, request: int, *files: int) -> int:
        if self._socket is None:
            self._start()
        assert self._socket is not None
        try:
            socket.send_fds(self._socket, [_NUMBER.pack(request)], files)
            answer = self._socket.recv(_NUMBER.size)
        except OSError:
            answer = b""
        if not answer:
            self._stop()
            raise ConnectionError("the fork server has ended")
        number: int = _NUMBER.unpack(answer)[0]
        return number

    def _start(self) -> None:
        if self._is_closed:
            raise ConnectionError("the server ends")
        here, there = socket.socketpair()
        with there:
            there.set_inheritable(True)
            command = [sys.executable, "-m", __name__, str(there.fileno())]
            self._pid = os.posix_spawn(sys.executable, command, os.environ)
        self._socket = here

    def _stop(self) -> None:
        if self._socket is not None and self._pid is not None:
            self._socket.close()
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        self._socket = self._pid = None


class _ForkedProcess:
    """A worker process: the part of :class:`subprocess.Popen` that a child process needs."""

    def __init__(self, pid: int, stdin: IO[bytes], stdout: IO[bytes], poll: Callable[[], int | None]) -> None:
        self.pid, self._poll = pid, poll
        self.stdin: IO[bytes] | None = stdin
        self.stdout: IO[bytes] | None = stdout
        self._status: int | None = None

    def poll(self) -> int | None:
        """Return the exit status, or None while the process runs."""
        if self._status is None and self._has_closed_its_output():
            try:
                self._status = self._poll()
            except OSError:
                self._status = -signal.SIGKILL
        return self._status

    def _has_closed_its_output(self) -> bool:
        """Return whether the process may have ended. To ask the fork server each time would take much longer."""
        assert self.stdout is not None
        hangups = select.poll()
        hangups.register(self.stdout, 0)
        return bool(hangups.poll(0))

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process."""
        end = None if timeout is None else monotonic() + timeout
        while (status := self.poll()) is None:
            if end is not None and monotonic() >= end:
                raise subprocess.TimeoutExpired("a worker process", timeout or 0.0)
            sleep(_PAUSE)
        return status


def forked_server() -> ForkServer | None:
    """Return a fork server that is a copy of this process (:meth:`ForkServer.fork`), or None if that is impossible.

    Windows has no fork, and a fork copies only one thread.
    """
    if not hasattr(os, "fork") or active_count() > 1:
        return None
    server = ForkServer()
    server.fork()
    return server


def starter(server: ForkServer | None) -> "tuple[Callable[[IO[bytes]], Program], ForkServer | None]":
    """Return a function that starts a worker process, and its fork server.

    Args:
        server: The fork server. None means a new one, and none on Windows, which has no fork.
    """
    if not hasattr(os, "fork"):
        return run_command([sys.executable, "-m", _WORKER]), None
    server = server or ForkServer()
    return server.start_worker, server


def main() -> None:
    """Run the fork server of the process at the other end of the socket with the number ``sys.argv[1]``."""
    load_compiler()
    _run(socket.socket(fileno=int(sys.argv[1])))


def _freeze() -> None:
    """Exclude all objects from garbage collections. In a forked process they would copy the pages of these objects."""
    gc.collect()
    gc.freeze()


def _run(control: socket.socket) -> NoReturn:
    """Fork worker processes for the process at the other end of a socket, until it ends."""
    try:
        os.setsid()  # the keys that interrupt the server do not end the workers before their jobs
        _serve(control)
    except BaseException:
        traceback.print_exc()
    os._exit(1)


def _serve(control: socket.socket) -> None:
    work = import_module(_WORKER).main
    for name in _AGENTS:
        with suppress(ImportError):  # a package of this agent is not installed
            import_module(f"ci_envs.agents.{name}")
    _freeze()
    while True:
        message, files, _, _ = socket.recv_fds(control, _NUMBER.size, 3)
        if not message:
            os._exit(0)
        (request,) = _NUMBER.unpack(message)
        control.send(_NUMBER.pack(_fork(control, files, work) if request == _FORK else _status(request)))


def _fork(control: socket.socket, files: list[int], work: Callable[[], None]) -> int:
    """Fork a process with these files as its standard input, output and error output, and return its number."""
    pid = os.fork()
    if not pid:
        control.close()
        os.setpgid(0, 0)
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        try:
            work()
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    with suppress(OSError):  # the process has done it, or has ended
        os.setpgid(pid, pid)
    for file in files:
        os.close(file)
    return pid


def _status(pid: int) -> int:
    try:
        ended, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return -signal.SIGKILL
    return os.waitstatus_to_exitcode(status) if ended else _RUNNING


if __name__ == "__main__":
    main()
