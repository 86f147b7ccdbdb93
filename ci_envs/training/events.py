"""TensorBoard events of a run, if the package ``tensorboard`` is installed."""

import os
import socket
import time
import warnings
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ci_envs.registry.user_code import reason
from ci_envs.storage.files import named_errors


class EventLog:
    """The event log of a run. It logs nothing if ``tensorboard`` is not installed, or, with a warning, if it fails.

    It writes the file itself, because TensorBoard's own log writes in a thread: an interrupt can stop the program while
    it waits for this thread, and the thread shows its errors as tracebacks.
    """

    def __init__(self, folder: Path, first_step: int) -> None:
        """Start an event file.

        Args:
            folder: The folder of the run.
            first_step: TensorBoard discards the events of a killed run from this step on.
        """
        self._file = None
        if find_spec("tensorboard") is None:
            return
        try:
            from tensorboard.compat.proto.event_pb2 import SessionLog
            from tensorboard.summary.writer.record_writer import RecordWriter
        except Exception as error:  # a folder of this name, or a package that does not fit others
            warnings.warn(f"no events for TensorBoard: its package cannot be used: {reason(error)}", stacklevel=2)
            return

        name = f"events.out.tfevents.{time.time_ns()}.{socket.gethostname()}.{os.getpid()}"
        self._path = folder / name
        with named_errors(self._path):
            self._file = self._path.open("xb")
        self._records = RecordWriter(self._file)
        self._add(file_version="brain.Event:2")
        self._add(step=first_step, session_log=SessionLog(status=SessionLog.START))

    def add(self, numbers: Mapping[str, float], step: int) -> None:
        """Log numbers by their tags."""
        if self._file is None:
            return
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=tag, simple_value=number) for tag, number in numbers.items()]
        self._add(step=step, summary=Summary(value=values))

    def flush(self) -> None:
        """Write the logged numbers to the file."""
        if self._file is not None:
            with named_errors(self._path):
                self._file.flush()

    def close(self) -> None:
        """Write the logged numbers to the file, and close the file."""
        if self._file is not None:
            with named_errors(self._path):
                self._file.close()

    def _add(self, **event: Any) -> None:
        from tensorboard.compat.proto.event_pb2 import Event

        with named_errors(self._path):
            self._records.write(Event(wall_time=time.time(), **event).SerializeToString())
