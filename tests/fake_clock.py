"""Clocks for tests, so that no result depends on the speed of the machine."""

from threading import get_ident


class FakeClock:
    """A clock that advances by a fixed number of seconds each time a thread reads it.

    Each thread has its own time, which starts at 0.

    Attributes:
        step: The number of seconds between two readings.
        readings: The thread of each reading.
    """

    def __init__(self, step: float = 0.0) -> None:
        self.step = step
        self.readings: list[int] = []

    def __call__(self) -> float:
        thread = get_ident()
        self.readings.append(thread)
        return self.step * self.readings.count(thread)
