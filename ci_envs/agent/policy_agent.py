"""Agents that play in Python as they do in compiled code, by their policy."""

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent.interface import Agent, Observation
from ci_envs.agent.policy import choose_batch


class PolicyAgent(Agent):
    """Plays by its :meth:`policy`, which there is."""

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """As in :meth:`Agent.act_batch`."""
        played = self.policy()
        assert played is not None
        words = self.positions_of(observations)
        seeds = self.rng.integers(2**64, size=len(words), dtype=np.uint64)
        actions = np.empty(len(words), dtype=np.int64)
        policy, memory = played
        choose_batch(policy, self.game, words, seeds, memory, actions)
        return actions
