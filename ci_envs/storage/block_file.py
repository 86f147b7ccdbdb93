"""Large files of bytes with a header and a checksum for each block, read through a memory map.

A file has three parts: a header of 4096 bytes, the content, and the CRC-32 (uint32, little endian) of each block of 64
KiB of the content. The header has a line with the SHA-256 of the description and the checksums, a line with the
description as JSON, and spaces. So damage to any part is detected when the part is read.
"""

import hashlib
import json
import zlib
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ci_envs.storage.checked_file import DamagedFileError
from ci_envs.storage.files import write_whole

BLOCK = 1 << 16
"""The number of bytes of a block."""

_HEADER = 1 << 12


class BlockFile:
    """A file that was written by :func:`write_blocks`, opened for reading.

    Attributes:
        path: The path of the file.
        description: The description, as it was given to :func:`write_blocks`.
        content: The content, uint8 of shape (n,), read-only. Its checksums are not verified yet.
    """

    def __init__(self, path: Path, description: dict[str, Any], content: NDArray[np.uint8], checksums: bytes) -> None:
        self.path, self.description, self.content = path, description, content
        self._checksums = np.frombuffer(checksums, dtype="<u4")
        self._verified = np.zeros(len(self._checksums), dtype=np.bool_)

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a file.

        Raises:
            FileNotFoundError: The file does not exist.
            OSError: The file cannot be read.
            DamagedFileError: The header or the checksums are damaged, or the file is too short or too long.
        """
        size = path.stat().st_size
        with path.open("rb") as file:
            digest, _, rest = file.read(_HEADER).partition(b"\n")
            blocks = -(-(size - _HEADER) // (BLOCK + 4))
            file.seek(max(size - 4 * blocks, 0))
            checksums = file.read()
        if size <= _HEADER or digest != _digest(rest, checksums):
            raise DamagedFileError(f"the file {str(path)!r} is damaged: its header or its checksums have changed")
        content = np.memmap(path, np.uint8, "r", offset=_HEADER, shape=(size - _HEADER - 4 * blocks,))
        return cls(path, json.loads(rest), content, checksums)

    @classmethod
    def in_memory(cls, path: Path, description: dict[str, Any], content: NDArray[np.uint8]) -> Self:
        """Return an object for a content in memory that was made from the file at ``path``."""
        return cls(path, description, content, _checksums(content))

    def verify(self) -> None:
        """Read the whole content.

        Raises:
            DamagedFileError: A block is damaged.
        """
        for block in range(len(self._verified)):
            self._verify(block)

    def read(self, places: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """Return the bytes at some places of the content.

        Raises:
            DamagedFileError: A block with one of these places is damaged.
        """
        for block in np.flatnonzero(np.bincount((places // BLOCK).astype(np.int64))).tolist():
            self._verify(block)
        found: NDArray[np.uint8] = self.content[places]
        return found

    def _verify(self, block: int) -> None:
        if self._verified[block]:
            return
        if zlib.crc32(self.content[block * BLOCK : (block + 1) * BLOCK].data) != self._checksums[block]:
            raise DamagedFileError(f"the file {str(self.path)!r} is damaged: block {block} has changed")
        self._verified[block] = True


def write_blocks(path: Path, description: dict[str, Any], content: NDArray[np.uint8]) -> None:
    """Write a file atomically.

    Args:
        path: The path. The folder must exist.
        description: Data for JSON, up to about 4000 characters.
        content: At least one byte, uint8 of shape (n,).

    Raises:
        OSError: The file cannot be written.
    """
    checksums = _checksums(content)
    rest = json.dumps(description).encode().ljust(_HEADER - 65)
    write_whole(path, _digest(rest, checksums) + b"\n" + rest, content.data, checksums, durable=True)


def _checksums(content: NDArray[np.uint8]) -> bytes:
    blocks = (content[start : start + BLOCK] for start in range(0, len(content), BLOCK))
    return np.array([zlib.crc32(block.data) for block in blocks], dtype="<u4").tobytes()


def _digest(rest: bytes, checksums: bytes) -> bytes:
    return hashlib.sha256(rest + checksums).hexdigest().encode()
