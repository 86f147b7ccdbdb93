"""Perfect play in the games that are solved."""

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent.interface import PositionAgent
from ci_envs.games.game import Game
from ci_envs.solver.solution import NO_SCORE, keep_value
from ci_envs.solver.solve import solve
from ci_envs.validation import probability, true_or_false


class ExactAgent(PositionAgent):
    """Wins as soon as it can, loses as late as it can, else draws: one of the best actions at random.

    With ``randomise`` it plays any action that keeps the value of the position, however long the win then takes.
    """

    def __init__(self, game: Game, *, randomise: bool = False, blunder: float = 0.0, seed: int | None = None) -> None:
        """Make the agent; it solves the game unless that was done before.

        Args:
            game: a game that :func:`ci_envs.solve` solves.
            randomise: whether to choose among all actions that keep the value, rather than among the best.
            blunder: how often to play an action that loses value, where there is one, any of them: from 0 to 1.
            seed: decides between equally good actions, and when to blunder.

        Raises:
            ValueError: the game is too large to solve, or an option is refused.
        """
        self.blunder = probability("blunder", blunder)
        super().__init__(game, seed=seed)
        self.randomise = true_or_false("randomise", randomise)
        self._solution = solve(game)

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        scores = self._solution.action_scores(words)
        keeping = keep_value(scores)
        losing = (scores != NO_SCORE) & ~keeping
        choices = keeping if self.randomise else scores == scores.max(axis=1, keepdims=True)
        blunders = (self.rng.random(len(words)) < self.blunder) & losing.any(axis=1)
        choices = np.where(blunders[:, np.newaxis], losing, choices)
        return self.any_of(choices)
