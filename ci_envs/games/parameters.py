"""Checking the parameters of games, environments and agents."""

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
