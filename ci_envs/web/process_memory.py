"""The memory of processes that share pages."""

import mmap
from collections.abc import Iterable
from pathlib import Path

from ci_envs.agent_interface.child_process import memory_mb

_PAGE = mmap.PAGESIZE


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


def estimated_memory_mb(pids: Iterable[int]) -> float:
    """Return an estimate of the sum of :func:`shared_memory_mb` in a fraction of its time.

    The processes share their files, so the largest part of a process counts. Forked pages count for each process.
    """
    total = files = 0
    for pid in pids:
        try:
            _, resident, shared, *_ = map(int, Path(f"/proc/{pid}/statm").read_text().split())
        except (OSError, ValueError):  # the process has ended, or the system is not Linux
            continue
        total, files = total + resident - shared, max(files, shared)
    return (total + files) * _PAGE / 2**20
