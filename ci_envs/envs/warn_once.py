"""Warnings of the PettingZoo environment. Each is printed once per process."""

from collections.abc import Callable
from functools import cache


@cache
def warn_once(warn: Callable[[], None]) -> None:
    """Call ``warn`` if this is the first call with it in this process.

    PettingZoo's logger stores every warning in ``EnvLogger.mqueue``, which would grow with every game.

    Args:
        warn: a function of a module, which logs the warning.
    """
    warn()
