"""Uniformly random play, the yardstick below all others."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent.interface import Agent, Observation
from ci_envs.agent.policy import Policy, choose
from ci_envs.games import implements
from ci_envs.games.walk import random_action


@dataclass(frozen=True)
class RandomPolicy(Policy):
    """:class:`RandomAgent` in compiled code."""


@implements(choose, RandomPolicy)
def _(policy: RandomPolicy) -> Any:
    return lambda policy, game, own, opp, state, memory: random_action(game, own, opp, state)


class RandomAgent(Agent):
    """Plays a uniformly random legal action."""

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """As in :meth:`Agent.act_batch`."""
        return self.any_of(observations["action_mask"])

    def policy(self) -> tuple[RandomPolicy, tuple[()]]:
        """As in :meth:`Agent.policy`; it needs no memory."""
        return RandomPolicy(), ()
