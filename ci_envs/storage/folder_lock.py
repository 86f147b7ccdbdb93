"""Locks of folders against other processes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(folder: Path, work: str) -> Iterator[None]:
    """Lock a folder during the ``with`` block, if the system and its file system have locks.

    The system removes the lock when the process ends.

    Args:
        folder: the folder. If it does not exist, there is no lock.
        work: what a process does in the folder, for the message.

    Raises:
        ValueError: another process has locked the folder.
    """
    try:
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):  # Windows, or a folder that cannot be opened
        yield
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"another process {work} in {str(folder)!r}: wait until it ends") from None
        except OSError:  # a file system without locks
            pass
        yield
    finally:
        os.close(descriptor)
