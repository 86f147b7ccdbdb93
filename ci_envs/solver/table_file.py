"""Tables of scores on disk, in the user's cache directory or in the package.

A file consists of a line with the SHA-256 of the rest, a line of JSON that describes the table, and the table itself,
an array of int8 compressed with zlib.
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
"""The version of the tables. Increase it if the rules of a game with a table or the meaning of the table change."""


def table_path(game: Game) -> Path:
    """Return the path of the table of ``game`` in the user's cache directory."""
    return user_cache_path("ci_envs") / "tables" / f"{game}.table"


def read_table(game: Game, path: Path) -> NDArray[np.int8] | None:
    """Read the table of ``game``.

    Returns:
        The table, or None if the file does not exist, is of another version, or, with a warning, is damaged.
    """
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, _, signed = content.partition(b"\n")
    if digest != _digest(signed):
        warnings.warn(f"the table {str(path)!r} is damaged and is not used", RuntimeWarning, stacklevel=2)
        return None
    header, _, packed = signed.partition(b"\n")
    if header != _header(game):
        return None
    return np.frombuffer(zlib.decompress(packed), dtype=np.int8)


def write_table(game: Game, table: NDArray[np.int8], path: Path, level: int = 1) -> None:
    """Write the table of ``game`` to a file atomically.

    Args:
        game: The game.
        table: The table.
        path: The path of the file. Its folder is created if necessary.
        level: The level of the compression, from 1 (fast) to 9.

    Raises:
        OSError: The file cannot be written.
    """
    signed = _header(game) + b"\n" + zlib.compress(table.tobytes(), level=level)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, _digest(signed) + b"\n" + signed)


def _header(game: Game) -> bytes:
    return json.dumps({"game": repr(game), "version": VERSION}).encode()


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
