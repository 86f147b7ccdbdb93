"""Measurement of a rate on a noisy machine."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

REPEATS = 5
_SECONDS = 0.3
_ENOUGH = 8.0  # a measurement is not repeated after this number of seconds


@contextmanager
def on_cores(count: int) -> Iterator[None]:
    """Restrict this thread, and the threads that it starts, to ``count`` cores. This works only on Linux."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(cores)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def rate(work: Callable[[int], int], amount: int | None = None) -> float:
    """Return the units of work per second: the median of several runs, after a run that compiles.

    Args:
        work: A function that does at least the given number of units, and returns the number of units done.
        amount: The number of units of a run. None chooses a number that takes about 0.3 s.
    """
    work(1)
    amount = _long_enough(work) if amount is None else amount
    return statistics.median(_rate_once(work, amount) for _ in range(REPEATS))


def relative_rate(work: Callable[[int], int], other: Callable[[int], int]) -> float:
    """Return the rate of ``work`` divided by the rate of ``other``: the median of runs that alternate."""
    works = work, other
    for each in works:
        each(1)
    amounts = [_long_enough(each) for each in works]
    runs = [[_rate_once(*pair) for pair in zip(works, amounts, strict=True)] for _ in range(REPEATS)]
    return statistics.median(rate / peer for rate, peer in runs)


def _long_enough(work: Callable[[int], int]) -> int:
    amount = 1
    while True:  # until a run is long enough to measure
        begin = time.perf_counter()
        done = work(amount)
        seconds = time.perf_counter() - begin
        if seconds > _SECONDS / 10:
            break
        amount *= 4
    return max(1, round(done / seconds * _SECONDS))


def _rate_once(work: Callable[[int], int], amount: int) -> float:
    begin = time.perf_counter()
    done = work(amount)
    return done / (time.perf_counter() - begin)


def seconds_of(work: Callable[[], object]) -> float:
    """Return the median of the seconds of several calls, after a call that compiles. Slow calls are repeated less."""
    work()
    times: list[float] = []
    while len(times) < REPEATS and sum(times) < _ENOUGH:
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def seconds_of_process(*arguments: str) -> float:
    """Return the median of the seconds of a new Python process with these arguments."""
    command = [sys.executable, *arguments]
    return seconds_of(lambda: subprocess.run(command, check=True, capture_output=True))
