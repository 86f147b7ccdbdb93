"""Files with a checksum. A file consists of a line with the SHA-256 of the content, and the content."""

import hashlib
from pathlib import Path

from ci_envs.storage.files import write_whole


class DamagedFileError(ValueError):
    """A file does not contain what was written to it."""


def write_checked(path: Path, content: bytes) -> None:
    """Write a file atomically. Its folder is created if necessary.

    Raises:
        OSError: The file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, _digest(content) + b"\n" + content)


def read_checked(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        OSError: There is no regular file at the path, or it cannot be read.
        DamagedFileError: The file is damaged.
    """
    if not path.is_file():  # reading a pipe would wait
        raise FileNotFoundError(f"there is no file {str(path)!r}")
    digest, _, content = path.read_bytes().partition(b"\n")
    if digest != _digest(content):
        raise DamagedFileError(f"the file {str(path)!r} is damaged")
    return content


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
