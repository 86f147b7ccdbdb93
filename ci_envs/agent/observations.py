"""Observations of many positions."""

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent.interface import Observation
from ci_envs.games.batch import observe_batch
from ci_envs.games.game import Game


def observations_of(game: Game, words: NDArray[np.uint64]) -> Observation:
    """What the players to move see on the boards ``words`` (shape (n, 2)), as :meth:`Agent.act_batch` takes it."""
    planes = np.empty((len(words), *game.observation_shape), dtype=np.int8)
    masks = np.empty((len(words), game.action_count), dtype=np.int8)
    observe_batch(game, words, planes, masks)
    return {"observation": planes, "action_mask": masks}
