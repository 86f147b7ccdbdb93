"""Write your own agent, and compare it with agents of the suite.

The agent searches one move ahead in plain Python, which is slow and easy to read. It plays every game. After its
registration, you can use it by its spec string, like any other agent.

Run it with ``python examples/custom_agent.py``.
"""

from collections.abc import Iterator

import numpy as np
import rich
from numpy.typing import NDArray

from ci_envs import Game, Position, register_agent
from ci_envs.agents import Agent, Observation
from ci_envs.arena import compare, tables


class CarefulAgent(Agent):
    """An agent that wins at once if it can, and otherwise prevents an immediate win of the opponent."""

    def __init__(self, game: Game, *, block: bool = True, seed: int | None = None) -> None:
        """Make the agent.

        Args:
            game: The game.
            block: Whether the agent prevents immediate wins of the opponent.
            seed: The seed of the choice among equally good actions.
        """
        super().__init__(game, seed=seed)
        self.block = block

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """Return the actions on n boards, which the agent chooses one after the other."""
        boards = observations["observation"]
        return np.array([self.choose(Position.from_observation(self.game, planes)) for planes in boards])

    def choose(self, position: Position) -> int:
        """Return the action in a position."""
        actions = position.legal_actions()
        choices = list(winning_actions(position))
        if not choices and self.block:
            choices = [action for action in actions if not any(winning_actions(position.play(action)))]
        return int(self.rng.choice(choices or actions))


def winning_actions(position: Position) -> Iterator[int]:
    """Yield the actions that win at once for the player to move."""
    for action in position.legal_actions():
        after = position.play(action)
        if after.result == (1 if after.to_move == position.to_move else -1):
            yield action


register_agent("careful", CarefulAgent)

if __name__ == "__main__":
    entrants = ["random", "careful:block=false", "careful", "minimax:depth=4"]
    rich.print(tables(compare("ConnectFour-v0", entrants, games=100)))
