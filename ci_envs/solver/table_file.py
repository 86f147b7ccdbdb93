"""Tables of scores on disk: in the user's cache directory, or part of the package.

A file is a line with the SHA-256 of all that follows, a line of JSON that says what the table is of, and the table
itself, an array of int8, compressed with zlib.
"""

import hashlib
import json
import warnings
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from ci_envs.games.game import Game
from ci_envs.storage.files import write_whole

VERSION = 1
"""To be raised when the rules of a game that has a table change, or what the table says."""


def table_path(game: Game) -> Path:
    """Where the table of ``game`` is kept."""
    return user_cache_path("ci_envs") / "tables" / f"{game}.table"


def read_table(game: Game, path: Path) -> NDArray[np.int8] | None:
    """Return the table of ``game``, or None with a warning if it is damaged, without one if it is not of this version.

    None is returned also where there is no file.
    """
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, _, signed = content.partition(b"\n")
    if digest != _digest(signed):
        warnings.warn(f"the table {str(path)!r} is damaged: it is not used", RuntimeWarning, stacklevel=2)
        return None
    header, _, packed = signed.partition(b"\n")
    if header != _header(game):
        return None
    return np.frombuffer(zlib.decompress(packed), dtype=np.int8)


def write_table(game: Game, table: NDArray[np.int8], path: Path, level: int = 1) -> None:
    """Write the table of ``game`` to a file, which gets its name when it is complete.

    Args:
        game: The game.
        table: The table.
        path: The file, whose folder is made if need be.
        level: Of the compression, from 1 (fast) to 9.

    Raises:
        OSError: It cannot be written.
    """
    signed = _header(game) + b"\n" + zlib.compress(table.tobytes(), level=level)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, _digest(signed) + b"\n" + signed)


def _header(game: Game) -> bytes:
    return json.dumps({"game": repr(game), "version": VERSION}).encode()


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
