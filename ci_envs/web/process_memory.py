"""The memory of processes that share pages."""

from collections.abc import Iterable
from pathlib import Path
from time import monotonic

from ci_envs.agent_interface.child_process import memory_mb

_VALID_SECONDS = 2.0


def shared_memory_mb(pid: int) -> float:
    """Return the memory of a process in units of 2^20 bytes: a page of n processes counts as a part of 1 / n.

    This is the proportional set size of Linux, which takes milliseconds. The sum for all processes is the memory that
    they use together. The result is the resident memory on other systems, and 0 if it is unknown.
    """
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return memory_mb(pid)
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


class MemoryMeter:
    """Measures the memory of processes, and estimates it in between in a fraction of the time."""

    def __init__(self) -> None:
        """Make a meter without measurements."""
        self._shared: dict[int, float] = {}  # the resident memory that did not count at the last measurement
        self._end = 0.0  # of the time in which that is about right

    def estimate(self, pids: Iterable[int]) -> float:
        """Return an estimate of the sum of :func:`shared_memory_mb`. New processes share nothing in it."""
        if monotonic() >= self._end:
            self._shared.clear()
        return sum(memory_mb(pid) - self._shared.get(pid, 0.0) for pid in pids)

    def measure(self, pids: Iterable[int]) -> dict[int, float]:
        """Return :func:`shared_memory_mb` of each process. It takes some tenths of a second for large processes."""
        used = {pid: shared_memory_mb(pid) for pid in pids}
        self._shared = {pid: max(0.0, memory_mb(pid) - size) for pid, size in used.items()}
        self._end = monotonic() + _VALID_SECONDS
        return used
