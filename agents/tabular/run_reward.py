"""Rewards for changes of the longest runs of stones."""

from typing import Any

import numpy as np

from ci_envs.games import Game, GridGame, implements
from ci_envs.games.grid import longest_run
from ci_envs.kernels.dispatch import is_overridden, operation

_WEIGHT = 0.25  # times the size of the board


@operation
def run_reward(game: Any, own: Any, opp: Any, next_own: Any, next_opp: Any) -> Any:
    """Return the reward for the change of the longest runs between two positions of a player.

    The reward is a quarter of the board's size if the own longest run grew, and minus as much if it shrank. The size of
    the change does not matter. The same reward with the opposite sign is added for the opponent's longest run.
    """


def has_runs(game: Game) -> bool:
    """Return whether a game has runs of stones, so that :func:`run_reward` can differ from 0."""
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
