"""The clock of a session: elapsed time, estimated remaining time, and the time of the next checkpoint."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

_SAVING_SHARE = 0.1  # maximum share of the time for saving


class SessionClock:
    """The clock of a session.

    ``done`` is a number that measures the progress of the run, for example the number of episodes.
    """

    def __init__(self, done: float, pause: float, seconds_before: float = 0.0) -> None:
        """Start the clock.

        Args:
            done: The progress of the run.
            pause: The minimum number of seconds between two checkpoints.
            seconds_before: The length of all earlier sessions in seconds.
        """
        self._pause, self._seconds_before = pause, seconds_before
        self._begun, self._done_before = monotonic(), done
        self._saved_at, self._saving_took, self._saved_done = float("-inf"), 0.0, done

    @property
    def elapsed(self) -> float:
        """Seconds in all sessions."""
        return self._seconds_before + monotonic() - self._begun

    def left(self, done: float, total: float) -> float | None:
        """Return the estimated seconds until the end, or None if this session has made no progress yet."""
        rate = (done - self._done_before) / (monotonic() - self._begun)
        return max(0.0, total - done) / rate if rate > 0 else None

    def is_checkpoint_due(self, done: float) -> bool:
        """Return whether the run has progressed since the last checkpoint, and enough time has passed."""
        pause = max(self._pause, self._saving_took / _SAVING_SHARE)
        return done > self._saved_done and monotonic() - self._saved_at >= pause

    @contextmanager
    def saving(self, done: float) -> Iterator[None]:
        """Measure the duration of saving, which determines the time of the next checkpoint."""
        begun = monotonic()
        yield
        self._saved_at, self._saved_done = monotonic(), done
        self._saving_took = self._saved_at - begun
