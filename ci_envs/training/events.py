"""TensorBoard events of a run, where the package ``tensorboard`` is installed."""

import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path


class EventLog:
    """The events of a run; it logs nothing where ``tensorboard`` is not installed."""

    def __init__(self, folder: Path, first_step: int) -> None:
        """Begin a file of events.

        Args:
            folder: of the run.
            first_step: events from this step on, which a killed run left in the folder, are discarded.
        """
        self._writer = None
        if find_spec("tensorboard") is None:
            return
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self._writer = EventFileWriter(str(folder))
        start = SessionLog(status=SessionLog.START)
        self._writer.add_event(Event(wall_time=time.time(), step=first_step, session_log=start))

    def add(self, numbers: Mapping[str, float], step: int) -> None:
        """Log numbers by their tags."""
        if self._writer is None:
            return
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=tag, simple_value=number) for tag, number in numbers.items()]
        self._writer.add_event(Event(wall_time=time.time(), step=step, summary=Summary(value=values)))

    def flush(self) -> None:
        """Write what was logged to the file."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Write what was logged to the file, and close it."""
        if self._writer is not None:
            self._writer.close()
