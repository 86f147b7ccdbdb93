"""A person at the terminal."""

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent.interface import Agent, Observation
from ci_envs.games.position import Position


class HumanAgent(Agent):
    """Asks for the name of an action on standard input until it is given a legal one."""

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """Ask for one action a board.

        Raises:
            EOFError: the input has ended.
        """
        return np.array([self._ask(planes) for planes in observations["observation"]], dtype=np.int64)

    def _ask(self, planes: NDArray[np.int8]) -> int:
        position = Position.from_observation(self.game, planes)
        while True:
            try:
                return position.parse_action(input("your move: "))
            except ValueError as error:
                print(error)
