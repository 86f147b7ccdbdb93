"""The check of the action that an agent returns."""

from typing import Any

import numpy as np


def whole_number(answer: Any, agent: Any) -> int:
    """Return the action that an agent answered.

    Args:
        answer: an integer of Python or NumPy, or an array with one integer.
        agent: the agent, for the message.

    Raises:
        TypeError: the answer is something else. A bool is not an integer here.
    """
    array = answer if isinstance(answer, np.ndarray) else None
    if array is not None and array.size == 1:
        answer = array.reshape(-1)[0]
    if isinstance(answer, bool | np.bool_) or not isinstance(answer, int | np.integer):
        name = getattr(agent, "__name__", None) or type(agent).__name__
        raise TypeError(f"{name} returned {answer!r}: an action must be an integer")
    return int(answer)
