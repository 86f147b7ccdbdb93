"""Random numbers in compiled code: SplitMix64, whose state is one 64-bit word.

Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. Any seed is suitable.
"""

from typing import Any

import numpy as np

from ci_envs.kernels.bits import nth_one, popcount
from ci_envs.kernels.compiler import inline_kernel, kernel


@kernel
def next_random(state: Any) -> Any:
    """Return 64 random bits and the next state."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    word = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31)), state


@kernel
def random_below(state: Any, bound: Any) -> Any:
    """Return a random number from 0 to ``bound - 1`` and the next state.

    ``bound`` must be below 2^32. The bias is at most 2^-32.
    """
    word, state = next_random(state)
    return ((word >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32), state


@inline_kernel
def random_index_from(values: Any, number: Any, least: Any, state: Any) -> Any:
    """Draw one of the first ``number`` indices where ``values`` are at least ``least``, each with the same probability.

    ``number`` should be a compile-time constant. For at most 64 values the choice has no branch that a processor could
    mispredict.

    Returns:
        The index, or -1 if there is none, and the next state.
    """
    if number <= 64:
        places = np.uint64(0)
        for i in range(number):
            places |= np.uint64(values[i] >= least) << np.uint64(i)
        if places == np.uint64(0):
            return -1, state
        left, state = random_below(state, popcount(places))
        return np.int64(nth_one(places, left)), state
    count = 0
    for i in range(number):
        count += values[i] >= least
    if count == 0:
        return -1, state
    left, state = random_below(state, count)
    for i in range(number):
        if values[i] >= least:
            if left == np.uint64(0):
                return i, state
            left -= np.uint64(1)
    return -1, state
