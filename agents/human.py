"""An agent that asks a person at the terminal."""

import sys

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.observations import Observation, read_position
from ci_envs.games.game import Game
from ci_envs.games.position import Position


class InputEndedError(EOFError):
    """Standard input has ended."""


class HumanAgent(Agent):
    """Agent that asks for the name of an action on standard input until the answer is a legal action."""

    def __init__(self, game: Game, *, seed: int | None = None) -> None:
        """Make the agent, which moves first unless :meth:`start_games` says otherwise."""
        super().__init__(game, seed=seed)
        self._seats = [0]

    @override
    def start_games(self, n: int, seats: NDArray[np.int8], seeds: NDArray[np.uint64]) -> None:
        self._seats = seats.tolist()

    @override
    def act(self, observation: Observation) -> int:
        """Ask for the action.

        Raises:
            InputEndedError: Standard input has ended.
        """
        seat = self._seats[int(np.asarray(observation.get("game_index", 0)))]  # the names can depend on the player
        return _ask(read_position(self.game, observation, seat))


def _ask(position: Position) -> int:
    if sys.stdin is None:  # it was closed when the program began
        raise InputEndedError("there is no standard input")
    while True:
        try:
            return position.parse_action(input("your move: "))
        except EOFError:
            raise InputEndedError("standard input has ended") from None
        except ValueError as error:
            print(error)
