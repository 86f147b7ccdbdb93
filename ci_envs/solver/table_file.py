"""Tables of scores on disk, in the user's cache directory or in the package.

A file has a checksum (:mod:`ci_envs.storage.checked_file`). Its content is a line of JSON that describes the table, and
the table itself, an array of int8 compressed with zlib.
"""

import json
import warnings
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import Game
from ci_envs.storage.checked_file import DamagedFileError, read_checked, write_checked
from ci_envs.storage.user_folders import user_cache

VERSION = 1
"""The version of the tables. Increase it if the rules of a game with a table or the meaning of the table change."""


def table_path(game: Game) -> Path:
    """Return the path of the table of ``game`` in the user's cache directory.

    Raises:
        OSError: The user has no home directory.
    """
    return user_cache() / "tables" / f"{game}.table"


def read_table(game: Game, path: Path | None = None) -> NDArray[np.int8] | None:
    """Read the table of ``game``. Without a path, read the table in the user's cache directory.

    Returns:
        The table, or None if the file does not exist, is of another version, or, with a warning, is damaged.
    """
    try:
        content = read_checked(path or table_path(game))
    except OSError:
        return None
    except DamagedFileError as error:
        warnings.warn(f"{error} and is not used", RuntimeWarning, stacklevel=2)
        return None
    header, _, packed = content.partition(b"\n")
    if header != _header(game):
        return None
    return np.frombuffer(zlib.decompress(packed), dtype=np.int8)


def write_table(game: Game, table: NDArray[np.int8], path: Path | None = None, level: int = 1) -> None:
    """Write the table of ``game`` to a file atomically.

    Args:
        game: The game.
        table: The table.
        path: The path of the file, whose folder is created if necessary. None means the file in the user's cache
            directory.
        level: The level of the compression, from 1 (fast) to 9.

    Raises:
        OSError: The file cannot be written.
    """
    content = _header(game) + b"\n" + zlib.compress(table.tobytes(), level=level)
    write_checked(path or table_path(game), content)


def _header(game: Game) -> bytes:
    return json.dumps({"game": repr(game), "version": VERSION}).encode()
