"""An agent that asks a person at the terminal."""

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.games.position import Position


class InputEndedError(EOFError):
    """Standard input has ended."""


class HumanAgent(PositionAgent):
    """Agent that asks for the name of an action on standard input until the answer is a legal action."""

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Ask for the action in each position.

        Raises:
            InputEndedError: Standard input has ended.
        """
        positions = (Position(self.game, own, opp) for own, opp in words.tolist())
        return np.array([_ask(position) for position in positions], dtype=np.int64)


def _ask(position: Position) -> int:
    while True:
        try:
            return position.parse_action(input("your move: "))
        except EOFError:
            raise InputEndedError("standard input has ended") from None
        except ValueError as error:
            print(error)
