"""Locks against other processes."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from hashlib import sha256
from pathlib import Path

_MOST_BYTES = 200  # of the name of a file; a name can have 255


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


def locked_file(path: Path, work: str) -> AbstractContextManager[None]:
    """Lock a file that is replaced whenever it is written. The lock is a hidden, empty file beside it.

    Args:
        path: the path of the file. A device or a pipe is not locked.
        work: what a process does with the file, for the message.

    Raises:
        ValueError: another process has the lock.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        return nullcontext()
    name = os.fsencode(target.name)
    stem = target.name if len(name) < _MOST_BYTES else sha256(name).hexdigest()
    return locked(target.parent, work, f".{stem}.lock")
