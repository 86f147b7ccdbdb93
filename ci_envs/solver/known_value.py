"""Exact values in compiled code: one operation, which every exact source implements.

A **compiled source** is a tuple. It begins with an object of a :class:`~ci_envs.kernels.dispatch.Static` class, whose
type chooses the implementation, and goes on with the arrays that the implementation reads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.kernels.callback import Callback
from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.dispatch import Static, implements, operation

UNKNOWN = 2
"""The result of :func:`known_value` for a position that the source does not cover."""

CompiledSource = tuple[Any, ...]
"""The first argument of :func:`known_value`."""


@operation
def known_value(source: Any, own: Any, opp: Any) -> Any:
    """Return the exact value WIN, DRAW or LOSS of a position for the player to move, or UNKNOWN.

    Args:
        source: A compiled source.
        own: The first word of a position, which may be over.
        opp: The second word.
    """


def known_values(source: CompiledSource, words: NDArray[np.uint64]) -> NDArray[np.int16]:
    """Return the exact values of positions, or UNKNOWN, int16 of shape (n,).

    Args:
        source: A compiled source.
        words: The positions, rows ``(own, opp)``, uint64 of shape (n, 2).
    """
    values = np.empty(len(words), np.int16)
    write_known_values(source, words, values)
    return values


@kernel
def write_known_values(source: Any, words: Any, values: Any) -> None:
    """Write the results of :func:`known_values`."""
    for i in range(len(words)):
        values[i] = known_value(source, words[i, 0], words[i, 1])


@dataclass(frozen=True)
class PythonSource(Static):
    """A source that a function in Python answers: ``(PythonSource(), callback)``. A call takes some microseconds."""


@implements(known_value, PythonSource)
def _(source: PythonSource) -> Any:
    def kernel(source: Any, own: Any, opp: Any) -> Any:
        _, ask = source
        return ask(own, opp)

    return kernel


def python_source(ask: Callable[[int, int], int]) -> CompiledSource:
    """Return the compiled source of a function from both words to a value or UNKNOWN."""
    return PythonSource(), Callback(ask)
