"""Checks of the parameters of games, environments and agents."""

import math
import operator
import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

import numpy as np

_DIGITS = "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"


def exact_integer(value: Any) -> int | None:
    """Return the integer that an object is, or None if it is something else.

    Args:
        value: Any object. An integer is an int, an integer of NumPy or PyTorch, or an array or tensor with one integer.
            A bool, a float and a text are not integers here, even if they could be converted.
    """
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    if isinstance(value, bool) or str(getattr(value, "dtype", "")).endswith("bool"):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def integer_between(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return ``value`` as an int.

    Args:
        name: The name of the parameter for the message.
        value: The value to check.
        low: The smallest allowed value.
        high: The largest allowed value. None means no upper bound.

    Raises:
        ValueError: ``value`` is not an integer in this range.
    """
    integer = exact_integer(value)
    if integer is None or integer < low or (high is not None and integer > high):
        allowed = f"from {low}" if high is None else f"from {low} to {high}"
        raise ValueError(f"{name} must be a whole number {allowed}, not {value!r}")
    return integer


def checked_seed(seed: Any) -> int | None:
    """Return a seed as an int, or None if it is None.

    Raises:
        ValueError: ``seed`` is neither None nor an integer of 64 bits.
    """
    return None if seed is None else integer_between("seed", seed, 0, 2**64 - 1)


def real_number(name: str, value: Any) -> float:
    """Return ``value`` as a float.

    Raises:
        ValueError: ``value`` is not a number, which can be infinite.
    """
    return _number(name, value, _is_number(value) and not math.isnan(value), "a number")


def finite_number(name: str, value: Any) -> float:
    """Return ``value`` as a float.

    Raises:
        ValueError: ``value`` is not a finite number.
    """
    return _number(name, value, _is_finite_number(value), "a finite number")


def positive_number(name: str, value: Any) -> float:
    """Return ``value`` as a float.

    Raises:
        ValueError: ``value`` is not a finite number above 0.
    """
    return _number(name, value, _is_finite_number(value) and value > 0, "a number above 0")


def nonnegative_number(name: str, value: Any) -> float:
    """Return ``value`` as a float.

    Raises:
        ValueError: ``value`` is not a finite number of at least 0.
    """
    return _number(name, value, _is_finite_number(value) and value >= 0, "a number, 0 or more")


def probability(name: str, value: Any) -> float:
    """Return ``value`` as a float.

    Raises:
        ValueError: ``value`` is not a number from 0 to 1.
    """
    return _number(name, value, _is_finite_number(value) and 0 <= value <= 1, "a number from 0 to 1")


def true_or_false(name: str, value: Any) -> bool:
    """Return ``value`` if it is a bool.

    Raises:
        ValueError: ``value`` is not a bool.
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, not {value!r}")
    return value


def one_of(name: str, value: Any, allowed: Iterable[str]) -> str:
    """Return ``value`` if it is an allowed name.

    Raises:
        ValueError: ``value`` is not an allowed name.
    """
    names = tuple(allowed)
    if value not in names:
        raise ValueError(f"{name} must be one of {', '.join(names)}, not {value!r}")
    return str(value)


def unknown_name(kind: str, name: str, available: Iterable[str], *, owner: str = "") -> ValueError:
    """Return the error for an unknown name. The message suggests the most similar available name.

    For example: ``Unknown agent 'mimimax'. Did you mean 'minimax'? Available: minimax, random``.

    Args:
        kind: The kind of object that has the name, for example ``agent``.
        name: The unknown name.
        available: All available names.
        owner: The object to which the names belong, for example ``agent minimax`` for the names of its options.
    """
    names = {_spelled(available_name): available_name for available_name in available}
    similar = [names[found] for found in get_close_matches(_spelled(str(name).rpartition("/")[2]), names, n=1)]
    suggestion = f" Did you mean {similar[0]!r}?" if similar else ""
    place = f" for {owner}" if owner else ""
    return ValueError(f"Unknown {kind} {name!r}{place}.{suggestion} Available: {', '.join(names.values()) or '(none)'}")


def _spelled(name: str) -> str:
    """Return a name in lower case, with its digits as words, except in a version such as ``-v0``."""
    return re.sub(r"(?<!-v)\d", lambda digit: _DIGITS[int(digit[0])], name.lower())


def _number(name: str, value: Any, fits: bool, allowed: str) -> float:
    if not fits:
        raise ValueError(f"{name} must be {allowed}, not {value!r}")
    return float(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _is_finite_number(value: Any) -> bool:
    return _is_number(value) and math.isfinite(value)
