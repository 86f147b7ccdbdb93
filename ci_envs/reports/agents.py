"""The agents of the reports, as they can be entered in any match: ``report:B31:max_lowest``."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent.interface import PositionAgent
from ci_envs.agent.supported_game import require_game
from ci_envs.games.game import Game
from ci_envs.games.nim import Nim
from ci_envs.reports.b32 import threshold
from ci_envs.reports.b33 import minmax_false, minmax_true
from ci_envs.reports.nim_strategies import (
    FIXED_RULES,
    Strategy,
    always,
    leave_one_of_larger,
    leave_one_or_take_it,
    nim_optimal,
    row_random,
)
from ci_envs.validation import unknown_name

_BEST_THRESHOLD = 0.4614  # the genome that report B prints for its last generations

STRATEGIES: Mapping[str, Strategy] = {
    "B:row_random": row_random,
    "B:nim_optimal": nim_optimal,
    **{f"B31:{name}": rule for name, rule in FIXED_RULES.items()},
    "B31:always_first": always(0, leave_one_of_larger),
    "B31:always_second": always(1, leave_one_of_larger),
    "B32": threshold(_BEST_THRESHOLD, leave_one_or_take_it),
    "B33": minmax_true,
    "B33:described": minmax_false,
}
"""The strategies for Nim by name. Where a report passes, which is illegal, this is its legal version."""


class ReportAgent(PositionAgent):
    """Plays Nim by a strategy of report B.

    The strategies keep the bugs of report B, except that none takes 0 objects: ``B31:always_first``,
    ``B31:always_second`` and ``B32`` take one object where report B passes.
    """

    def __init__(self, game: Game, strategy: str, *, seed: int | None = None) -> None:
        """Make the agent.

        Args:
            game: Nim in normal play without ``max_take``, which the strategies of report B do not know.
            strategy: One of :data:`STRATEGIES`.
            seed: Of the random moves.

        Raises:
            ValueError: There is no such strategy, or it does not play this game.
        """
        self._nim = require_game("report", game, Nim)
        if self._nim.misere or self._nim.max_take is not None:
            raise ValueError(f"report:{strategy} plays Nim in normal play without max_take, not {game}")
        if strategy not in STRATEGIES:
            raise unknown_name("strategy", strategy, STRATEGIES, owner="agent report")
        self._strategy = STRATEGIES[strategy]
        super().__init__(game, seed=seed)

    @override
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        return np.array([self._action(own) for own in words[:, 0].tolist()], dtype=np.int64)

    def _action(self, own: int) -> int:
        chances = self._strategy(self._nim.sizes(own))
        moves = list(chances)
        row, number = moves[self.rng.choice(len(moves), p=list(chances.values()))]
        return row * self._nim.limit + number - 1
