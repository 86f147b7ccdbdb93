"""Opponents inside environments."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.decision import ask
from ci_envs.agent_interface.interface import Agent
from ci_envs.envs.aec import InvalidActionError
from ci_envs.envs.boards import first_outside
from ci_envs.games.game import Game

Opponent = Any
"""Any object that :func:`~ci_envs.agent_interface.making.as_agent` accepts."""


def replies(opponent: Agent, game: Game, words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return an opponent's actions in n positions, int64 of shape (n,).

    Args:
        opponent: an agent, which is called once for all positions.
        game: the game.
        words: non-terminal positions, uint64 of shape (n, 2).

    Raises:
        InvalidActionError: an action is not an integer, or not in the action space.
    """
    given = np.asarray(ask(opponent, words))
    is_fitting = given.shape == (len(words),) and np.issubdtype(given.dtype, np.integer)
    if not is_fitting or first_outside(given.astype(np.int64), game.action_count) >= 0:
        raise InvalidActionError(f"the opponent returned {given!r}, not {len(words)} actions of {game}")
    return given.astype(np.int64)
