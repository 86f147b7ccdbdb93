"""The folders of the user for caches and data."""

from collections.abc import Callable
from pathlib import Path

from platformdirs import user_cache_path, user_data_path


def user_cache() -> Path:
    """Return the folder of this package in the user's cache directory.

    Raises:
        OSError: The user has no home directory.
    """
    return _checked(user_cache_path)


def user_data() -> Path:
    """Return the folder of this package in the user's data directory.

    Raises:
        OSError: The user has no home directory.
    """
    return _checked(user_data_path)


def _checked(folder: Callable[[str], Path]) -> Path:
    try:
        path = folder("ci_envs")
    except RuntimeError:  # earlier versions of platformdirs return a path in a folder "~" instead
        path = Path("~")
    if not path.is_absolute():
        raise OSError("you have no home directory: set the environment variable HOME")
    return path
