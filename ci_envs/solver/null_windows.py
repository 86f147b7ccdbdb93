"""The search of a score by null windows, which only say whether the score is above a bound."""

from typing import Any

from ci_envs.kernels.compiler import inlined


@inlined
def middle_of(low: Any, high: Any) -> Any:
    """Return the bound at which to divide the range of scores from ``low`` to ``high``, with ``low < high``.

    It is the middle, or half of the bound that is farther from 0: late wins and losses need the longest searches, so
    the windows approach them from the early ones (Pascal Pons, Solving Connect 4, part 8).
    """
    middle = low + (high - low) // 2
    if middle <= 0 and low // 2 < middle:
        return -(-low // 2)
    if middle >= 0 and high // 2 > middle:
        return high // 2
    return middle
