"""Random numbers inside compiled code: SplitMix64, whose whole state is one word.

Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. Any seed will do.
"""

from typing import Any

import numpy as np

from ci_envs.games.compiled import kernel


@kernel
def next_random(state: Any) -> Any:
    """``-> (word, state)``: 64 random bits and the next state."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    word = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31)), state


@kernel
def random_below(state: Any, bound: Any) -> Any:
    """``-> (number, state)``: a number from 0 to ``bound - 1`` (below 2^32; the bias is at most 2^-32)."""
    word, state = next_random(state)
    return ((word >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32), state


@kernel
def random_index_of(values: Any, value: Any, state: Any) -> Any:
    """``-> (index, state)``: where ``values`` are ``value``, at one of these places, each as likely; -1 if nowhere."""
    places = 0
    for i in range(len(values)):
        places += values[i] == value
    if places == 0:
        return -1, state
    left, state = random_below(state, places)
    for i in range(len(values)):
        if values[i] == value:
            if left == np.uint64(0):
                return i, state
            left -= np.uint64(1)
    return -1, state
