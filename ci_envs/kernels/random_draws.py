"""Random shares, and draws by weight, in compiled code."""

from typing import Any

import numpy as np

from ci_envs.kernels.compiler import lean_kernel
from ci_envs.kernels.random_numbers import next_random


@lean_kernel
def random_share(state: Any) -> Any:
    """Return a uniform random number from 0 to 1, below 1, and the next state."""
    word, state = next_random(state)
    return np.float64(word >> np.uint64(11)) * 2.0**-53, state


@lean_kernel
def draw_by_weight(weights: Any, count: Any, state: Any) -> Any:
    """Draw one of the first ``count`` indices with probabilities in proportion to ``weights``.

    An index of weight 0 is drawn only if all weights are 0.

    Returns:
        The index and the next state.
    """
    total = 0.0
    for index in range(count):
        total += weights[index]
    share, state = random_share(state)
    left, drawn = share * total, 0
    for index in range(count):
        if weights[index] > 0:
            drawn = index
            if left < weights[index]:
                break
            left -= weights[index]
    return drawn, state
