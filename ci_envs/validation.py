"""Checking the parameters of games, environments and agents."""

import math
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np


def integer_between(name: str, value: Any, low: int, high: int | None = None) -> int:
    """``value`` as an int if it is a whole number from ``low`` to ``high``; None is no upper bound.

    Raises:
        ValueError: it is not; the message has ``name``, the value and what is allowed.
    """
    integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not integer or value < low or (high is not None and value > high):
        allowed = f"from {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be a whole number {allowed}, not {value!r}")
    return int(value)


def positive_number(name: str, value: Any) -> float:
    """``value`` as a float if it is a finite number above 0.

    Raises:
        ValueError: it is not; the message has ``name``, the value and what is allowed.
    """
    if not _is_finite_number(value) or value <= 0:
        raise ValueError(f"{name} must be a number above 0, not {value!r}")
    return float(value)


def nonnegative_number(name: str, value: Any) -> float:
    """``value`` as a float if it is a finite number, 0 or more.

    Raises:
        ValueError: it is not; the message has ``name``, the value and what is allowed.
    """
    if not _is_finite_number(value) or value < 0:
        raise ValueError(f"{name} must be a number, 0 or more, not {value!r}")
    return float(value)


def probability(name: str, value: Any) -> float:
    """``value`` as a float if it is a number from 0 to 1.

    Raises:
        ValueError: it is not; the message has ``name``, the value and what is allowed.
    """
    if not _is_finite_number(value) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, not {value!r}")
    return float(value)


def true_or_false(name: str, value: Any) -> bool:
    """``value`` if it is a bool.

    Raises:
        ValueError: it is not; the message has ``name`` and the value.
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, not {value!r}")
    return value


def one_of(name: str, value: Any, allowed: Iterable[str]) -> str:
    """``value`` if it is one of the names that are allowed.

    Raises:
        ValueError: it is not; the message has ``name``, the value and what is allowed.
    """
    names = tuple(allowed)
    if value not in names:
        raise ValueError(f"{name} must be one of {', '.join(names)}, not {value!r}")
    return str(value)


def unknown_name(kind: str, name: str, available: Iterable[str], *, owner: str = "") -> ValueError:
    """Return the error for a name that is not available; it suggests the most similar available name.

    The message reads ``Unknown agent 'mimimax'. Did you mean 'minimax'? Available: minimax, random``.

    Args:
        kind: what the name names, for example ``agent``.
        name: the name that was given.
        available: all names that are allowed.
        owner: what has the names, for example ``agent minimax`` for the names of its options.
    """
    names = {one.lower(): one for one in available}
    similar = [names[found] for found in get_close_matches(name.rpartition("/")[2].lower(), names, n=1)]
    suggestion = f" Did you mean {similar[0]!r}?" if similar else ""
    place = f" for {owner}" if owner else ""
    return ValueError(f"Unknown {kind} {name!r}{place}.{suggestion} Available: {', '.join(names.values()) or '(none)'}")


def _is_finite_number(value: Any) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return number and math.isfinite(value)
