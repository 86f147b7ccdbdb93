"""Strategies for Nim as agents."""

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.agent_interface.supported_game import require_game
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim
from ci_envs.reports.nim_strategies import Strategy
from ci_envs.reports.section import AgentMaker


class NimStrategyAgent(PositionAgent):
    """An agent that plays Nim in normal play by a strategy that takes at least one object in each move."""

    def __init__(self, game: Game, strategy: Strategy, *, seed: int | None = None) -> None:
        """Make the agent.

        Args:
            game: Nim in normal play without ``max_take``.
            strategy: The strategy.
            seed: The seed of the random moves.

        Raises:
            ValueError: The strategy is not for this game.
        """
        self._nim = require_game("report", game, Nim)
        if self._nim.misere or self._nim.max_take is not None:
            raise ValueError(f"the agent plays Nim in normal play without max_take, not {game}")
        self._strategy = strategy
        super().__init__(game, seed=seed)

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        return np.array([self._action(own) for own in words[:, 0].tolist()], dtype=np.int64)

    def _action(self, own: int) -> int:
        chances = self._strategy(self._nim.sizes(own))
        moves = list(chances)
        row, number = moves[self.rng.choice(len(moves), p=list(chances.values()))]
        return row * self._nim.limit + number - 1


def strategy_agent(strategy: Strategy) -> AgentMaker:
    """Return a function that makes the agent of a strategy.

    Args:
        strategy: The strategy. It takes at least one object in each move.
    """
    return lambda game, seed: NimStrategyAgent(game, strategy, seed=seed)
