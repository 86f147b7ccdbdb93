"""A process that answers each line of JSON with a line of JSON, with limits of time and memory."""

import json
import os
import shlex
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from queue import Empty, Queue, SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import IO, Annotated, Any, NamedTuple, Protocol

from ci_envs.registry.options import Option, check_options, options_of
from ci_envs.registry.user_code import UserCodeError

_POLL = 0.02  # seconds between two looks at the memory of the process
_GRACE = 1.0  # seconds that a canceled decision may still take
_MOST_BYTES = 1 << 22  # of an answer
_PART = 1 << 16  # bytes that are read at once
_MOST_PARTS = 64  # that wait in a queue; a program that writes more has to wait
_MOST_ERRORS = 1 << 16  # last bytes of the standard error output


class ProcessLimits(NamedTuple):
    """The limits of an agent in its own process."""

    move_seconds: Annotated[float, Option("seconds for a decision", gt=0)] = 10.0
    start_seconds: Annotated[float, Option("additional seconds for the first decision of a new process", gt=0)] = 30.0
    memory_mb: Annotated[
        int, Option("memory of the process in units of 2^20 bytes; it is enforced on Linux only", ge=1, le=10**9)
    ] = 2048

    def checked(self) -> "ProcessLimits":
        """Return the limits, or raise a ValueError if one is not allowed."""
        return ProcessLimits(**check_options("process", self._asdict(), options_of(ProcessLimits)))


class ProcessError(UserCodeError):
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
    """A running process. The end of its standard error output is kept to report the last line.

    Three threads write its input and read its two outputs. So a process that does not read, or that writes without end,
    blocks nobody and fills no memory.
    """

    def __init__(self, start: Callable[[IO[bytes]], Program], limits: ProcessLimits) -> None:
        """Start the process.

        Args:
            start: starts the process with a file for its standard error output, such as :func:`run_command`.
            limits: the limits of the process.

        Raises:
            ProcessError: the process cannot be started.
        """
        self._limits, self._is_stopped, self._errors = limits, False, b""
        self._owner = os.getpid()
        reading, writing = os.pipe()
        errors = os.fdopen(reading, "rb")
        try:
            with os.fdopen(writing, "wb") as file:
                self._process = start(file)
        except OSError as error:
            errors.close()
            raise ProcessError(f"cannot be started: {error}") from None
        _limit_memory(self._process.pid, limits.memory_mb)
        self._input = SimpleQueue[bytes | None]()  # None closes the standard input
        self._parts, self._unread = Queue[bytes](_MOST_PARTS), b""
        self._left = limits.start_seconds  # of the additional time for the first answer
        self._error_reader = Thread(target=self._read_errors, args=(errors,), daemon=True)
        for thread in (Thread(target=self._write, daemon=True), Thread(target=self._read, daemon=True)):
            thread.start()
        self._error_reader.start()

    def _write(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError), self._process.stdin as file:  # the process has ended
            while (data := self._input.get()) is not None:
                file.write(data)
                file.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        output = self._process.stdout.fileno()
        while not self._is_stopped and (part := os.read(output, _PART)):
            self._parts.put(part)
        self._parts.put(b"")

    def _read_errors(self, file: BufferedReader) -> None:
        with file:
            while part := os.read(file.fileno(), _PART):
                self._errors = (self._errors + part)[-_MOST_ERRORS:]

    def send(self, message: Any) -> None:
        """Write a line of JSON, without waiting until the process reads it.

        Raises:
            ProcessError: the process has ended.
        """
        if self._process.poll() is not None:
            raise self._ended()
        self._input.put(json.dumps(message).encode() + b"\n")

    def receive(self, seconds: float | None = None, canceled: Event | None = None) -> dict[str, Any]:
        """Return the next line of JSON, an object.

        Args:
            seconds: the time limit. None means the limit of a decision.
            canceled: if it is set, the process gets at most one more second.

        Raises:
            ProcessError: the process has ended or was too slow, used too much memory, or wrote something else.
        """
        began, seconds = monotonic(), self._limits.move_seconds + self._left if seconds is None else seconds
        while b"\n" not in self._unread and len(self._unread) < _MOST_BYTES:
            if not (part := self._next_part(began, seconds, canceled)):
                self._parts.put(part)  # the next call finds the end, too
                break
            self._unread += part
        self._left = 0.0
        if not self._unread:
            raise self._ended()
        line, _, self._unread = self._unread.partition(b"\n")
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
        self._input.put(text.encode())
        self._input.put(None)
        began, seconds, reply = monotonic(), self._limits.move_seconds + self._left, bytearray()
        while part := self._next_part(began, seconds):
            reply += part
            if len(reply) > _MOST_BYTES:
                self.stop()
                raise ProcessError(f"wrote more than {_MOST_BYTES:,} bytes")
        error = self._ended()
        if self._process.poll():
            raise error
        return reply.decode(errors="replace")

    def _next_part(self, began: float, seconds: float, canceled: Event | None = None) -> bytes:
        deadline = began + seconds
        while True:
            try:
                return self._parts.get(timeout=max(0.0, min(_POLL, deadline - monotonic())))
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
        self._error_reader.join(_GRACE)  # a child of the process can still have the file
        lines = self._errors.decode(errors="replace").strip().splitlines()
        self.stop()
        how = "closed its output" if status is None else f"ended with exit status {status}"
        if status is not None and status < 0:
            named = {number.value: number.name for number in signal.Signals}  # not all signals of real time have a name
            how = f"was ended by {named.get(-status, f'signal {-status}')}"
        return ProcessError(f"{how}: {lines[-1].strip()}" if lines else how)

    @property
    def is_own(self) -> bool:
        """Whether this process has started it. A forked child must neither ask nor stop it."""
        return self._owner == os.getpid()

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
        if self._is_stopped or not self.is_own:
            return
        self.kill()
        self._is_stopped = True
        self._process.wait()
        self._input.put(None)
        with suppress(Empty):  # the thread that reads can be waiting for a free place
            while True:
                self._parts.get_nowait()


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
