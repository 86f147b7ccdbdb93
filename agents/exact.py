"""Perfect play in solved games."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.agent_interface.making import make_agent
from ci_envs.agent_interface.probabilities import uniform
from ci_envs.agents.opponent_errors import OPPONENT, OpponentErrors
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

    With ``opponent`` it chooses, in drawn and lost positions, among the actions that keep the value the one after which
    this opponent errs most often (:class:`~ci_envs.agents.opponent_errors.OpponentErrors`). In games whose positions
    are searched, it does so as soon as values take about a millisecond, in Quarto from 6 pieces on.

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
        opponent: Annotated[str | None, OPPONENT] = None,
        seed: int | None = None,
    ) -> None:
        """Make the agent and solve the game, unless the solution is already in memory.

        Raises:
            ValueError: the game is too large to solve, an option is out of range, or the opponent is unknown.
        """
        super().__init__(game, seed=seed)
        self.blunder, self.randomise = blunder, randomise
        self._solution = solve(game)
        self._errors = None
        if opponent is not None:
            self._errors = OpponentErrors(game, self._solution, make_agent(opponent, game, seed=0))

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        scores = self._solution.quick_scores(words)
        choices, losing = self._choices(scores)
        if self._errors is not None:
            self._errors.reseed(int(self.rng.integers(2**32)))
            for row, best in self._errors.provoking(words, scores):
                choices[row] = best & (scores[row] == scores[row][best].max())
        blunders = (self.rng.random(len(words)) < self.blunder) & losing.any(axis=1)
        choices = np.where(blunders[:, np.newaxis], losing, choices)
        return self.any_of(choices)

    def action_probabilities(self, words: NDArray[np.uint64]) -> NDArray[np.float64] | None:
        """Return the probability of each action, float64 of shape (n, actions), or None with an ``opponent``."""
        if self._errors is not None:
            return None
        choices, losing = self._choices(self._solution.quick_scores(words))
        blunder = np.where(losing.any(axis=1, keepdims=True), self.blunder, 0.0)
        return (1 - blunder) * uniform(choices) + blunder * uniform(losing)

    def _choices(self, scores: NDArray[np.int16]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the actions that the agent chooses from, and those of its blunders, which lose value."""
        keeping = keep_value(scores)
        choices = keeping if self.randomise else scores == scores.max(axis=1, keepdims=True)
        return choices, (scores != NO_SCORE) & ~keeping
