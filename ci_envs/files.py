"""Files that are either whole or not there."""

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``, which gets its name when it is complete: a crash leaves what was there before.

    Raises:
        OSError: it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
