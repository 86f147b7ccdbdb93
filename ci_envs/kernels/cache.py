"""The folder in which Numba keeps compiled code on disk.

Numba's disk cache watches only the file of the outermost function, so an edited rule would leave stale compiled search
behind. Here the code of a kernel lies in a folder named by a digest of all sources that it can depend on
(:mod:`ci_envs.kernels.sources`).
"""

import os
import shutil
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import llvmlite
import numba
from numba import config
from platformdirs import user_cache_path

_KEPT_SECONDS = 7 * 24 * 3600


@lru_cache
def cache_folder(digest: str) -> Path | None:
    """Return the folder for kernels whose sources have this digest; None if it cannot be written.

    The folder is below ``NUMBA_CACHE_DIR`` if that is set, else in the user's cache directory.
    """
    base = Path(config.CACHE_DIR) if config.CACHE_DIR else user_cache_path("ci_envs")
    name = "-".join((numba.__version__, llvmlite.__version__, digest))
    folder = base / "kernels" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError:
        return None
    if not os.access(folder, os.W_OK):
        return None
    _remove_unused(folder.parent)
    return folder


@lru_cache  # once in a process
def _remove_unused(base: Path) -> None:
    oldest = time.time() - _KEPT_SECONDS
    for folder in base.iterdir():
        with suppress(OSError):  # another process may have removed it just now
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
