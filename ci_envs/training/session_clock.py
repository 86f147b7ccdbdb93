"""The times of a session: how long it has lasted, how long it may last, and when to save."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

_SAVING_SHARE = 0.1  # of the time at most


class SessionClock:
    """Measures the time between the start, or the continuation, of a run and its end.

    How far the run has come is a number, for example of episodes, which is called ``done``.
    """

    def __init__(self, done: float, pause: float, seconds_before: float = 0.0) -> None:
        """Start the clock.

        Args:
            done: how far the run has come.
            pause: least seconds between two checkpoints.
            seconds_before: the length of all earlier sessions.
        """
        self._pause, self._seconds_before = pause, seconds_before
        self._begun, self._done_before = monotonic(), done
        self._saved_at, self._saving_took, self._saved_done = float("-inf"), 0.0, done

    @property
    def elapsed(self) -> float:
        """Seconds in all sessions."""
        return self._seconds_before + monotonic() - self._begun

    def left(self, done: float, total: float) -> float | None:
        """Return the estimated seconds until the end; None while there is nothing to estimate them from."""
        rate = (done - self._done_before) / (monotonic() - self._begun)
        return max(0.0, total - done) / rate if rate > 0 else None

    def is_checkpoint_due(self, done: float) -> bool:
        """Return whether there is something to save, and the last time is long enough ago."""
        pause = max(self._pause, self._saving_took / _SAVING_SHARE)
        return done > self._saved_done and monotonic() - self._saved_at >= pause

    @contextmanager
    def saving(self, done: float) -> Iterator[None]:
        """Measure how long saving takes, which decides when it is done next."""
        begun = monotonic()
        yield
        self._saved_at, self._saved_done = monotonic(), done
        self._saving_took = self._saved_at - begun
