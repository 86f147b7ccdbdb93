"""The agent that plays uniformly at random, the baseline for all other agents."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.observations import observations_of
from ci_envs.agent_interface.policy import CompiledPolicy, Policy, choose
from ci_envs.agent_interface.policy_agent import PolicyAgent
from ci_envs.agent_interface.probabilities import uniform
from ci_envs.games import implements
from ci_envs.games.walk import random_action


@dataclass(frozen=True)
class RandomPolicy(Policy):
    """:class:`RandomAgent` as a compiled policy. It needs no memory."""


@implements(choose, RandomPolicy)
def _(policy: RandomPolicy) -> Any:
    return lambda policy, game, own, opp, seed, memory: random_action(game, own, opp, seed)[0]


class RandomAgent(PolicyAgent):
    """Agent that plays a uniformly random legal action."""

    @override
    def policy(self) -> CompiledPolicy:
        return CompiledPolicy(RandomPolicy(), ())

    def action_probabilities(self, words: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return the probability of each action, float64 of shape (n, actions)."""
        return uniform(observations_of(self.game, words)["action_mask"])
