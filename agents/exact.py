"""Perfect play in solved games."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.games.game import Game
from ci_envs.registry.options import Option, Untrusted, validated
from ci_envs.solver.solution import NO_SCORE, keep_value
from ci_envs.solver.solve import solve


class ExactAgent(PositionAgent):
    """Agent that plays perfectly: it wins as fast as possible, draws a drawn game, and loses as slowly as possible.

    It chooses at random between equally good actions. With ``randomise`` it chooses between all actions that keep the
    value of the position, even if a win then takes longer. The same applies to positions of Connect Four with more than
    30 empty cells and of Quarto with fewer than 6 pieces on the board, whose distances take long.

    On large boards of :class:`ConnectN` without gravity it looks for the fastest win, and otherwise avoids losses, with
    a limited search. So it wins the default board as the first player. In other games with too many positions to store,
    it plays one of the actions that a search proves to win, also if another one wins faster.

    If only some positions of the game are solved, as with tables of Quixo, the agent raises an
    :class:`~ci_envs.solver.errors.UnknownValueError` in other positions.
    """

    @validated
    def __init__(
        self,
        game: Game,
        *,
        randomise: Annotated[
            bool,
            Option(
                "whether to choose between all actions that keep the value, instead of between the optimal actions",
                untrusted=Untrusted(),
            ),
        ] = False,
        blunder: Annotated[
            float,
            Option(
                "probability of a random action that loses value, in positions that have such an action",
                ge=0,
                le=1,
                untrusted=Untrusted(),
            ),
        ] = 0.0,
        seed: int | None = None,
    ) -> None:
        """Make the agent and solve the game, unless the solution is already in memory.

        Raises:
            ValueError: the game is too large to solve, or an option is out of range.
        """
        super().__init__(game, seed=seed)
        self.blunder, self.randomise = blunder, randomise
        self._solution = solve(game)

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        scores = self._solution.quick_scores(words)
        keeping = keep_value(scores)
        losing = (scores != NO_SCORE) & ~keeping
        choices = keeping if self.randomise else scores == scores.max(axis=1, keepdims=True)
        blunders = (self.rng.random(len(words)) < self.blunder) & losing.any(axis=1)
        choices = np.where(blunders[:, np.newaxis], losing, choices)
        return self.any_of(choices)
