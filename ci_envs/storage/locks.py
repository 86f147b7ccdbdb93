"""Locks against other processes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(folder: Path, work: str, file: str | None = None) -> Iterator[None]:
    """Lock a folder, or a file in it, during the ``with`` block, if the system and its file system have locks.

    The system removes the lock when the process ends.

    Args:
        folder: a folder. If it does not exist, there is no lock.
        work: what a process does in the folder, for the message.
        file: the name of a file in the folder, which is created. None means the folder itself.

    Raises:
        ValueError: another process has the lock.
    """
    try:
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY) if file is None else os.open(folder / file, os.O_RDWR | os.O_CREAT)
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
