"""Functions that ask any agent for its actions in positions."""

from collections.abc import Callable, Mapping
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.action import whole_number, whole_numbers
from ci_envs.agent_interface.interface import Agent, PositionAgent
from ci_envs.agent_interface.observations import Observation, observations_of
from ci_envs.registry.user_code import UserCode, reason
from ci_envs.solver.errors import UnknownValueError

NO_ACTION = -1
"""The action of an agent that gave no answer. It is illegal in every position."""


class TimedActions(NamedTuple):
    """The actions of an agent on n boards.

    Attributes:
        actions: int64 of shape (n,), legal or not; :data:`NO_ACTION` where the agent gave no answer.
        seconds: wall-clock time of the agent, without the time to write its observations.
        faults: the reason for each board without an answer, by its number.
    """

    actions: NDArray[np.int64]
    seconds: float
    faults: Mapping[int, str] = {}

    @property
    def first_fault(self) -> str:
        """The first of the reasons, or an empty text."""
        return next(iter(self.faults.values()), "")


def ask(agent: Agent, words: NDArray[np.uint64]) -> Any:
    """Return the answer of an agent to n positions, without checks.

    Args:
        agent: the agent. A :class:`~ci_envs.agent_interface.interface.PositionAgent` gets positions, any other agent
            observations.
        words: non-terminal positions, uint64 of shape (n, 2).
    """
    with UserCode():
        return _prepared(agent, words, np.arange(len(words)))()


def decide(agent: Agent, words: NDArray[np.uint64], games: NDArray[np.int64] | None = None) -> TimedActions:
    """Return the checked actions of an agent in n positions, and its time.

    Args:
        agent: the agent.
        words: non-terminal positions, uint64 of shape (n, 2).
        games: the number of the game of each position (:meth:`~ci_envs.agent_interface.interface.Agent.start_games`).
            None means that each position is in a game of its own.

    Raises:
        ValueError: the agent returns an array of another shape than (n,).
        TypeError: the agent returns an array of another type than integers.
    """
    games = _games(agent, len(words)) if games is None else games
    return _checked(agent, len(words), _prepared(agent, words, games))


def decide_or_fail(agent: Agent, words: NDArray[np.uint64], games: NDArray[np.int64] | None = None) -> TimedActions:
    """Return the actions of an agent as :func:`decide` does, with the boards where it fails.

    Args:
        agent: the agent.
        words: non-terminal positions, uint64 of shape (n, 2).
        games: see :func:`decide`.

    Raises:
        UnknownValueError: a solution does not contain a position.
    """
    try:
        games = _games(agent, len(words)) if games is None else games
        if isinstance(agent, PositionAgent) or type(agent).act_batch is not Agent.act_batch:
            return _checked(agent, len(words), _prepared(agent, words, games))
    except UnknownValueError:  # a wrong choice of the game or the agent, not a fault in one position
        raise
    except Exception as error:
        return TimedActions(np.full(len(words), NO_ACTION), 0.0, dict.fromkeys(range(len(words)), reason(error)))
    observations = _observations(agent, words, games)
    actions, seconds, faults = np.full(len(words), NO_ACTION), 0.0, dict[int, str]()
    for i in range(len(words)):
        observation = {key: value[i] for key, value in observations.items()}
        begin = perf_counter()
        try:
            with UserCode():
                actions[i] = whole_number(agent.act(observation), agent)
        except Exception as error:
            faults[i] = reason(error)
        seconds += perf_counter() - begin
    return TimedActions(actions, seconds, faults)


def _games(agent: Agent, n: int) -> NDArray[np.int64]:
    """Begin a game for each of n positions, and return their numbers."""
    if agent.keeps_games:
        with UserCode():
            agent.start_games(n, np.zeros(n, np.int8), np.arange(n, dtype=np.uint64))
    return np.arange(n)


def failure(call: Callable[..., object], *arguments: Any) -> str:
    """Call code of an agent, and return why it fails (:func:`~ci_envs.registry.user_code.reason`), or an empty text."""
    try:
        with UserCode():
            call(*arguments)
    except Exception as error:
        return reason(error)
    return ""


def _checked(agent: Agent, n: int, call: Callable[[], Any]) -> TimedActions:
    begin = perf_counter()
    with UserCode():
        actions = call()
    seconds = perf_counter() - begin
    return TimedActions(whole_numbers(actions, n, agent), seconds)


def _prepared(agent: Agent, words: NDArray[np.uint64], games: NDArray[np.int64] | None) -> Callable[[], Any]:
    """Return a function that calls the agent with prepared arguments."""
    if isinstance(agent, PositionAgent):
        return partial(agent.act_on, words)
    return partial(agent.act_batch, _observations(agent, words, games))


def _observations(agent: Agent, words: NDArray[np.uint64], games: NDArray[np.int64] | None) -> Observation:
    observations = observations_of(agent.game, words)
    if not agent.keeps_games or games is None:
        return observations
    return {**observations, "game_index": games}  # type: ignore[dict-item]
