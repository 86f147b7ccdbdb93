"""Functions that ask any agent for its actions in positions."""

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.interface import Agent, PositionAgent
from ci_envs.agent_interface.observations import observations_of


class TimedActions(NamedTuple):
    """The actions of an agent on n boards.

    Attributes:
        actions: int64 of shape (n,), legal or not.
        seconds: wall-clock time of the agent, without the time to write its observations.
    """

    actions: NDArray[np.int64]
    seconds: float


def ask(agent: Agent, words: NDArray[np.uint64]) -> Any:
    """Return the answer of an agent to n positions, without checks.

    Args:
        agent: the agent. A :class:`~ci_envs.agent_interface.interface.PositionAgent` gets positions, any other agent
            observations.
        words: non-terminal positions, uint64 of shape (n, 2).
    """
    return _prepared(agent, words)()


def decide(agent: Agent, words: NDArray[np.uint64]) -> TimedActions:
    """Return the checked actions of an agent in n positions, and its time. The arguments are those of :func:`ask`.

    Raises:
        ValueError: the agent returns an array of another shape than (n,).
        TypeError: the agent returns an array of another type than integers.
    """
    call = _prepared(agent, words)
    begin = perf_counter()
    actions = np.asarray(call())
    seconds = perf_counter() - begin
    if actions.shape != (len(words),):
        raise ValueError(f"{type(agent).__name__} must return actions of shape ({len(words)},), not {actions.shape}")
    if not np.issubdtype(actions.dtype, np.integer):
        raise TypeError(f"{type(agent).__name__} must return integers, not {actions.dtype}")
    return TimedActions(actions.astype(np.int64), seconds)


def _prepared(agent: Agent, words: NDArray[np.uint64]) -> Callable[[], Any]:
    """Return a function that calls the agent with prepared arguments."""
    if isinstance(agent, PositionAgent):
        return partial(agent.act_on, words)
    return partial(agent.act_batch, observations_of(agent.game, words))
