"""An agent of one's own, compared with those of the suite.

It looks one move ahead in plain Python, which is slow and easy to read, and plays every game. Once it is registered, a
spec string names it, with its options, wherever an agent is named.

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
    """Wins at once if it can, else keeps the opponent from winning at once if it can, else plays at random."""

    def __init__(self, game: Game, *, block: bool = True, seed: int | None = None) -> None:
        """Make the agent.

        Args:
            game: any game.
            block: whether it minds what the opponent could do next.
            seed: decides between actions it thinks equally good.
        """
        super().__init__(game, seed=seed)
        self.block = block

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """One board after the other: an observation shows the whole position."""
        boards = observations["observation"]
        return np.array([self.choose(Position.from_observation(self.game, planes)) for planes in boards])

    def choose(self, position: Position) -> int:
        """The action to play in ``position``."""
        actions = position.legal_actions()
        choices = list(winning_actions(position))
        if not choices and self.block:
            choices = [action for action in actions if not any(winning_actions(position.play(action)))]
        return int(self.rng.choice(choices or actions))


def winning_actions(position: Position) -> Iterator[int]:
    """The actions that win at once for the player to move."""
    for action in position.legal_actions():
        after = position.play(action)
        if after.result == (1 if after.to_move == position.to_move else -1):
            yield action


register_agent("careful", CarefulAgent)

if __name__ == "__main__":
    entrants = ["random", "careful:block=false", "careful", "minimax:depth=4"]
    rich.print(tables(compare("ConnectFour-v0", entrants, games=100)))
