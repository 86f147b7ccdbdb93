"""Locks against other processes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(place: Path, work: str) -> Iterator[None]:
    """Lock a folder, or a file in it, during the ``with`` block, if the system and its file system have locks.

    The system removes the lock when the process ends.

    Args:
        place: a folder, or a file, which is created. If its folder does not exist, there is no lock.
        work: what a process does in the folder, for the message.

    Raises:
        ValueError: another process has the lock.
    """
    try:
        import fcntl

        descriptor = os.open(place, os.O_RDONLY if place.is_dir() else os.O_RDWR | os.O_CREAT)
    except (ImportError, OSError):  # Windows, or a folder that cannot be opened
        yield
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            folder = place if place.is_dir() else place.parent
            raise ValueError(f"another process {work} in {str(folder)!r}: wait until it ends") from None
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(descriptor)
