"""The seeds of an agent's decisions.

Each decision has its own seed: the initial state of its SplitMix64 generator (:mod:`ci_envs.kernels.random_numbers`).
Decision k of an agent with seed s has the seed s + k c modulo 2^64, where c is the square of SplitMix64's increment.
The increment is 2^64 divided by the golden ratio, so the generators of n decisions start at least about 2^64 / (sqrt(5)
n) numbers apart. Decisions are independent of each other: a batch of n boards gives the same actions as n single
boards.
"""

import os
import secrets
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.kernels.compiler import inline_kernel
from ci_envs.validation import checked_seed

STRIDE = 0x9E3779B97F4A7C15**2 % 2**64
"""The difference between the seeds of consecutive decisions."""

_STRIDE = np.uint64(STRIDE)

_LOCK = Lock()  # of all sequences, because an object with a lock of its own could not be copied
if hasattr(os, "register_at_fork"):  # not on Windows; a forked child must not inherit the lock of another thread
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)


@inline_kernel
def next_seed(state: Any) -> Any:
    """Return the seed of the next decision and the new state of the sequence."""
    return state, state + _STRIDE


class SeedSequence:
    """The seeds of the decisions of one agent, or of the opponent on one board.

    Attributes:
        state: the seed of the next decision, 0 to 2^64 - 1.
    """

    def __init__(self, seed: int | None = None) -> None:
        """Start the sequence.

        Args:
            seed: the seed of the first decision, 0 to 2^64 - 1. None draws a random seed.

        Raises:
            ValueError: ``seed`` is out of range.
        """
        self.state = secrets.randbits(64) if (checked := checked_seed(seed)) is None else checked

    def take(self, count: int) -> NDArray[np.uint64]:
        """Return the seeds of the next ``count`` decisions, uint64 of shape (count,)."""
        with _LOCK:
            first = self.state
            self.state = (first + count * STRIDE) % 2**64
        if count == 1:
            return np.array([first], dtype=np.uint64)
        return np.uint64(first) + np.arange(count, dtype=np.uint64) * _STRIDE
