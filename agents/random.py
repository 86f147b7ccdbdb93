"""Uniformly random play, the yardstick below all others."""

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent import Agent, Observation


class RandomAgent(Agent):
    """Plays a uniformly random legal action."""

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """As in :meth:`Agent.act_batch`."""
        return self.any_of(observations["action_mask"])
