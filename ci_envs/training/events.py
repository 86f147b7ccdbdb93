"""TensorBoard events of a run, if the package ``tensorboard`` is installed."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path


class EventLog:
    """The event log of a run. It logs nothing if ``tensorboard`` is not installed."""

    def __init__(self, folder: Path, first_step: int) -> None:
        """Start an event file.

        Args:
            folder: The folder of the run.
            first_step: TensorBoard discards the events of a killed run from this step on.
        """
        self._writer, self._folder = None, folder
        if find_spec("tensorboard") is None:
            return
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        with self._named_errors():
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
        with self._named_errors():
            self._writer.add_event(Event(wall_time=time.time(), step=step, summary=Summary(value=values)))

    def flush(self) -> None:
        """Write the logged numbers to the file."""
        if self._writer is not None:
            with self._named_errors():
                self._writer.flush()

    def close(self) -> None:
        """Write the logged numbers to the file, and close the file."""
        if self._writer is not None:
            with self._named_errors():
                self._writer.close()

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Name the folder in errors of the disk. TensorBoard writes in a thread, and its errors have no name."""
        try:
            yield
        except OSError as error:
            error.filename = error.filename or str(self._folder)
            raise
