"""Opponents inside environments."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.action import whole_numbers
from ci_envs.agent_interface.decision import ask
from ci_envs.agent_interface.interface import Agent
from ci_envs.envs.aec import InvalidActionError
from ci_envs.envs.boards import first_outside
from ci_envs.games.game import Game
from ci_envs.validation import exact_integer, unknown_name

Opponent = Any
"""Any object that :func:`~ci_envs.agent_interface.making.as_agent` accepts."""


def replies(opponent: Agent, game: Game, words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return an opponent's actions in n positions, int64 of shape (n,).

    Args:
        opponent: an agent, which is called once for all positions.
        game: the game.
        words: non-terminal positions, uint64 of shape (n, 2).

    Raises:
        InvalidActionError: an action is not in the action space.
        TypeError: an action is not an integer.
        ValueError: there is not one action for each position.
    """
    actions = whole_numbers(ask(opponent, words), len(words), opponent)
    wrong = first_outside(actions, game.action_count)
    if wrong >= 0:
        raise InvalidActionError(
            f"the opponent played {actions[wrong]}, which is not a whole number from 0 to {game.action_count - 1}"
        )
    return actions


def check_reset_options(options: Mapping[str, Any] | None, *allowed: str) -> None:
    """Check the ``options`` of a reset.

    Raises:
        TypeError: they are not a dictionary.
        ValueError: they contain another name than the ``allowed`` ones.
    """
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"the options of reset must be a dictionary or None, not {options!r}")
    for name in options or {}:
        if name not in allowed:
            raise unknown_name("option", name, allowed, owner="reset")


def checked_seat(seat: Any) -> int | None:
    """Return the seat of the agent, 0 or 1, or None.

    Raises:
        ValueError: the seat is something else.
    """
    number = exact_integer(seat)
    if seat is not None and number not in (0, 1):
        raise ValueError(f"seat must be 0, 1 or None, not {seat!r}")
    return number
