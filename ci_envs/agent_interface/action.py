"""The checks of the actions that agents return."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.validation import exact_integer


def whole_number(answer: Any, agent: Any) -> int:
    """Return the action that an agent answered.

    Args:
        answer: an integer (:func:`~ci_envs.validation.exact_integer`).
        agent: the agent, for the message.

    Raises:
        TypeError: the answer is something else.
        ValueError: the integer has more than 64 bits.
    """
    number = exact_integer(answer)
    if number is None:
        raise TypeError(f"{_name(agent)} returned {answer!r}: an action must be an integer")
    if not -(2**63) <= number < 2**63:
        raise ValueError(f"{_name(agent)} returned {answer!r}: an action must be an integer of 64 bits")
    return number


def whole_numbers(answers: Any, count: int, agent: Any) -> NDArray[np.int64]:
    """Return the actions that an agent answered for several boards, int64 of shape (count,).

    Args:
        answers: integers, in an array or another sequence.
        count: the number of boards.
        agent: the agent, for the message.

    Raises:
        ValueError: there are more or fewer answers.
        TypeError: an answer is not an integer.
    """
    actions = np.asarray(answers)
    if actions.shape != (count,):
        raise ValueError(f"{_name(agent)} must return actions of shape ({count},), not {actions.shape}")
    if actions.dtype.kind == "O":  # for example a list with tensors
        return np.array([whole_number(answer, agent) for answer in answers], dtype=np.int64)
    if actions.dtype.kind not in "iu":
        raise TypeError(f"{_name(agent)} must return integers, not {actions.dtype}")
    return actions.astype(np.int64)


def _name(agent: Any) -> str:
    return getattr(agent, "__name__", None) or type(agent).__name__
