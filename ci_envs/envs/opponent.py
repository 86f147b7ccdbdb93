"""Opponents inside environments: agents, or functions of an observation."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.decision import ask
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import make_agent
from ci_envs.agent_interface.observations import observations_of
from ci_envs.envs.aec import InvalidActionError
from ci_envs.envs.boards import first_outside
from ci_envs.games.game import Game

Reply = Callable[[dict[str, NDArray[np.int8]]], int]
"""A function from an AEC observation to an action."""

Opponent = str | Agent | Reply
"""A spec string, an agent, or a function from an AEC observation to an action."""


def as_opponent(opponent: Opponent, game: Game) -> Agent | Reply:
    """Return the agent or function of an ``opponent`` argument.

    Raises:
        TypeError: the argument is not a spec string, an agent or a function.
        ValueError: the opponent plays another game, or the agent is unknown.
    """
    if isinstance(opponent, str):
        return make_agent(opponent, game)
    if isinstance(opponent, Agent) and opponent.game != game:
        raise ValueError(f"the opponent plays {opponent.game}, not {game}")
    if not isinstance(opponent, Agent) and not callable(opponent):
        raise TypeError(f"the opponent must be a spec string, an agent or a function, not {opponent!r}")
    return opponent


def replies(opponent: Agent | Reply, game: Game, words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return an opponent's actions in n positions, int64 of shape (n,).

    Args:
        opponent: an agent, which is called once for all positions, or a function, which is called for each position.
        game: the game.
        words: non-terminal positions, uint64 of shape (n, 2).

    Raises:
        InvalidActionError: an action is not in the action space.
    """
    if isinstance(opponent, Agent):
        given = ask(opponent, words)
    else:
        observations = observations_of(game, words)
        seen = zip(observations["observation"], observations["action_mask"], strict=True)
        given = np.array([opponent({"observation": one, "action_mask": mask}) for one, mask in seen])
    actions = np.ascontiguousarray(given, dtype=np.int64)
    if actions.shape != (len(words),) or first_outside(actions, game.action_count) >= 0:
        raise InvalidActionError(f"the opponent returned {given!r}, not {len(words)} actions of {game}")
    return actions
