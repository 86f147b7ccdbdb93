"""What installed packages bring along, by their entry points."""

import sys
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points


def plugins(group: str) -> Mapping[str, EntryPoint]:
    """The entry points of a group, by name, in the order of their names."""
    return _plugins(group, tuple(sys.path))


@lru_cache
def _plugins(group: str, path: tuple[str, ...]) -> Mapping[str, EntryPoint]:
    """As :func:`plugins`; to look through all that is installed takes 15 ms, which every agent would wait for."""
    return {entry.name: entry for entry in sorted(entry_points(group=group), key=lambda entry: entry.name)}
