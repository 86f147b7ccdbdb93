"""The opponents inside environments: agents, and functions of an observation."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent.decision import ask
from ci_envs.agent.interface import Agent
from ci_envs.agent.observations import observations_of
from ci_envs.agent.registry import make_agent
from ci_envs.envs.aec import InvalidActionError
from ci_envs.envs.boards import first_outside
from ci_envs.games.game import Game

Reply = Callable[[dict[str, NDArray[np.int8]]], int]
"""A function from an AEC observation to an action."""

Opponent = str | Agent | Reply
"""A spec string, an agent, or a function from an AEC observation to an action."""


def as_opponent(opponent: Opponent, game: Game) -> Agent | Reply:
    """The agent or function that ``opponent`` means.

    Raises:
        TypeError: it is nothing that can play.
        ValueError: it plays another game, or names no agent.
    """
    if isinstance(opponent, str):
        return make_agent(opponent, game)
    if isinstance(opponent, Agent) and opponent.game != game:
        raise ValueError(f"the opponent plays {opponent.game}, not {game}")
    if not isinstance(opponent, Agent) and not callable(opponent):
        raise TypeError(f"the opponent must be a spec string, an agent or a function, not {opponent!r}")
    return opponent


def replies(opponent: Agent | Reply, game: Game, words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return an opponent's actions in n positions, int64 (n,).

    Args:
        opponent: asked once for all positions if it is an agent, else for each.
        game: the game.
        words: positions that are not over, uint64 (n, 2).

    Raises:
        InvalidActionError: an answer is not in the action space.
    """
    if isinstance(opponent, Agent):
        given = ask(opponent, words)
    else:
        observations = observations_of(game, words)
        seen = zip(observations["observation"], observations["action_mask"], strict=True)
        given = np.array([opponent({"observation": one, "action_mask": mask}) for one, mask in seen])
    actions = np.ascontiguousarray(given, dtype=np.int64)
    if actions.shape != (len(words),) or first_outside(actions, game.action_count) >= 0:
        raise InvalidActionError(f"the opponent answers {given!r}, not {len(words)} actions of {game}")
    return actions
