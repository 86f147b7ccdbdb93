"""Named values of several parts in one file: the names of a part begin with its name and a dot."""

from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")


def with_part(part: str, values: Mapping[str, T]) -> dict[str, T]:
    """Return values with the name of their part before their names."""
    return {f"{part}.{name}": value for name, value in values.items()}


def part_of(values: Mapping[str, T], part: str) -> dict[str, T]:
    """Return the values of a part, without the name of the part."""
    start = f"{part}."
    return {name.removeprefix(start): value for name, value in values.items() if name.startswith(start)}


def numbered_parts(values: Mapping[str, T], part: str) -> dict[int, dict[str, T]]:
    """Return ``{i: {name: value}}`` for the values with the names ``part.i.name``, sorted by ``i``."""
    found: dict[int, dict[str, T]] = {}
    for key, value in part_of(values, part).items():
        number, _, name = key.partition(".")
        found.setdefault(int(number), {})[name] = value
    return dict(sorted(found.items()))
