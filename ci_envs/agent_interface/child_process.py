"""A process that answers each line of JSON with a line of JSON, with limits of time and memory."""

import json
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Thread
from time import monotonic
from typing import IO, Annotated, Any, NamedTuple, Protocol

from ci_envs.registry.options import Option, check_options, options_of

_POLL = 0.02  # seconds between two looks at the memory of the process
_GRACE = 1.0  # seconds that a canceled decision may still take
_MOST_BYTES = 1 << 22  # of an answer


class ProcessLimits(NamedTuple):
    """The limits of an agent in its own process."""

    move_seconds: Annotated[float, Option("seconds for a decision", gt=0)] = 10.0
    start_seconds: Annotated[float, Option("additional seconds for the first decision of a new process", gt=0)] = 30.0
    memory_mb: Annotated[
        int, Option("memory of the process in units of 2^20 bytes; it is enforced on Linux only", ge=1)
    ] = 2048

    def checked(self) -> "ProcessLimits":
        """Return the limits, or raise a ValueError if one is not allowed."""
        return ProcessLimits(**check_options("process", self._asdict(), options_of(ProcessLimits)))


class ProcessError(RuntimeError):
    """A process gave no valid answer, and was stopped."""


class ProcessTimeoutError(ProcessError):
    """A process gave no answer in time, and was stopped."""


class Program(Protocol):
    """A started process: the part of :class:`subprocess.Popen` that :class:`ChildProcess` needs.

    The process leads a process group of its own.
    """

    pid: int
    stdin: IO[bytes] | None
    stdout: IO[bytes] | None

    def poll(self) -> int | None:
        """Return the exit status, negative for a signal, or None while the process runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process, and return its exit status.

        Raises:
            subprocess.TimeoutExpired: the process did not end in time.
        """


def split_command(agent: str, text: str, example: str) -> list[str]:
    """Return the words of a command, as a shell reads it.

    Args:
        agent: the name of the agent, for messages.
        text: the command.
        example: a command, for messages.

    Raises:
        ValueError: the command is empty, or a quotation mark is missing.

    Examples:
        >>> from ci_envs.agent_interface.child_process import split_command
        >>> split_command("process", "python 'my program.py'", "./my_program")
        ['python', 'my program.py']
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"{agent}: {text!r} is not a command: {error}") from None
    if not words:
        raise ValueError(f"{agent}: give a command, for example '{agent}:{example}'")
    return words


def run_command(command: Sequence[str]) -> Callable[[IO[bytes]], Program]:
    """Return a function that starts a command, for :class:`ChildProcess`."""

    def start(errors: IO[bytes]) -> Program:
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, start_new_session=True
        )

    return start


class ChildProcess:
    """A running process. Its standard error output is kept to report the last line."""

    def __init__(self, start: Callable[[IO[bytes]], Program], limits: ProcessLimits) -> None:
        """Start the process.

        Args:
            start: starts the process with a file for its standard error output, such as :func:`run_command`.
            limits: the limits of the process.

        Raises:
            ProcessError: the process cannot be started.
        """
        self._limits = limits
        self._is_stopped = False
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
        try:
            self._process = start(self._errors)
        except OSError as error:
            raise ProcessError(f"cannot be started: {error}") from None
        _limit_memory(self._process.pid, limits.memory_mb)
        self._lines: Queue[bytes] = Queue()
        self._left = limits.start_seconds  # of the additional time for the first answer
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(_MOST_BYTES):
            self._lines.put(line)
        self._lines.put(b"")

    def send(self, message: Any) -> None:
        """Write a line of JSON.

        Raises:
            ProcessError: the process has ended.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._ended() from None

    def receive(self, seconds: float | None = None, canceled: Event | None = None) -> dict[str, Any]:
        """Return the next line of JSON, an object.

        Args:
            seconds: the time limit. None means the limit of a decision.
            canceled: if it is set, the process gets at most one more second.

        Raises:
            ProcessError: the process has ended or was too slow, used too much memory, or wrote something else.
        """
        line = self._next_line(self._limits.move_seconds + self._left if seconds is None else seconds, canceled)
        self._left = 0.0
        if not line:
            raise self._ended()
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            self.stop()
            text = line[:60].decode(errors="replace").strip()
            raise ProcessError(f"answered {text!r}, which is not an object of JSON")
        return answer

    def reply(self, text: str) -> str:
        """Write a text, close the standard input, and return all that the process writes until it ends.

        Raises:
            ProcessError: the process failed, was too slow, wrote too much, or used too much memory.
        """
        assert self._process.stdin is not None
        with suppress(OSError):  # it need not read its input
            self._process.stdin.write(text.encode())
            self._process.stdin.close()
        deadline, lines = monotonic() + self._limits.move_seconds + self._left, list[bytes]()
        while line := self._next_line(max(0.0, deadline - monotonic()), None):
            lines.append(line)
            if sum(map(len, lines)) > _MOST_BYTES:
                self.stop()
                raise ProcessError(f"wrote more than {_MOST_BYTES:,} bytes")
        error = self._ended()
        if self._process.poll():
            raise error
        return b"".join(lines).decode(errors="replace")

    def _next_line(self, seconds: float, canceled: Event | None) -> bytes:
        deadline = monotonic() + seconds
        while True:
            try:
                return self._lines.get(timeout=max(0.0, min(_POLL, deadline - monotonic())))
            except Empty:
                pass
            if canceled is not None and canceled.is_set():
                deadline, canceled = min(deadline, monotonic() + _GRACE), None
            used = self.memory_mb()
            if used > self._limits.memory_mb:
                self.stop()
                raise ProcessError(f"used {used:.0f} MB of memory; allowed are {self._limits.memory_mb} MB")
            if monotonic() >= deadline:
                self.stop()
                raise ProcessTimeoutError(f"gave no answer within {seconds:g} s")

    def _ended(self) -> ProcessError:
        """Return the error of a process that has ended by itself."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(self._limits.move_seconds)
        status = self._process.poll()
        self._errors.seek(0)
        lines = self._errors.read()[-_MOST_BYTES:].decode(errors="replace").strip().splitlines()
        self.stop()
        how = "closed its output" if status is None else f"ended with exit status {status}"
        if status is not None and status < 0:
            how = f"was ended by {signal.Signals(-status).name}"
        return ProcessError(f"{how}: {lines[-1].strip()}" if lines else how)

    @property
    def is_running(self) -> bool:
        """Return whether the process runs. It does not after an error."""
        return not self._is_stopped and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def memory_mb(self) -> float:
        """Return the result of :func:`memory_mb` for the process."""
        return memory_mb(self._process.pid)

    def kill(self) -> None:
        """Kill the process and its children from any thread. A thread in :meth:`receive` gets an error."""
        if not self._is_stopped:  # else another process can have its number by now
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def stop(self) -> None:
        """Kill the process and its children, and wait for its end."""
        if self._is_stopped:
            return
        self.kill()
        self._is_stopped = True
        self._process.wait()
        self._errors.close()


def _limit_memory(pid: int, megabytes: int) -> None:
    with suppress(ImportError, AttributeError, OSError, ValueError):  # another system than Linux, or already ended
        import resource

        size = megabytes << 20
        resource.prlimit(pid, resource.RLIMIT_DATA, (size, size))


def memory_mb(pid: int) -> float:
    """Return the resident memory of a process in units of 2^20 bytes, or 0 if it is unknown."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):  # it has ended, or the system is not Linux
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
