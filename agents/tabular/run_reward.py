"""The rewards of report D for changes of the longest runs of stones on a board."""

from typing import Any

import numpy as np

from ci_envs.games import Game, GridGame, implements
from ci_envs.games.grid import longest_run
from ci_envs.kernels.dispatch import is_overridden, operation

_WEIGHT = 0.25  # of the size of the board


@operation
def run_reward(game: Any, own: Any, opp: Any, next_own: Any, next_opp: Any) -> Any:
    """``-> float``: report D's reward for what happened to the longest runs between two positions of a player.

    A quarter of the board's size for a longer own run and for a shorter run of the opponent, whatever the difference,
    and as much less for a shorter own run and for a longer one of the opponent. The two add up.
    """


def has_runs(game: Game) -> bool:
    """Return whether a game has runs of stones, so that :func:`run_reward` is not always 0."""
    return is_overridden(run_reward, type(game), Game)


@implements(run_reward, Game)
def _(game: Game) -> Any:
    return lambda game, own, opp, next_own, next_opp: 0.0


@implements(run_reward, GridGame)
def _(game: GridGame) -> Any:
    weight = _WEIGHT * game.shape[0]

    def kernel(game: Any, own: Any, opp: Any, next_own: Any, next_opp: Any) -> Any:
        lead = np.sign(longest_run(game, next_own) - longest_run(game, own))
        lead -= np.sign(longest_run(game, next_opp) - longest_run(game, opp))
        return weight * lead

    return kernel
