"""A policy for an agent that plays only in Python."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ci_envs.agent.interface import Agent
from ci_envs.agent.observations import observations_of
from ci_envs.agent.policy import Policy, choose
from ci_envs.kernels.callback import Callback
from ci_envs.kernels.dispatch import implements


@dataclass(frozen=True)
class PythonPolicy(Policy):
    """An agent that plays in Python alone, called from compiled code; its memory is a callback."""


@implements(choose, PythonPolicy)
def _(policy: PythonPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, state: Any, memory: Any) -> Any:
        return memory[0](own, opp), state

    return kernel


def policy_of(agent: Agent) -> tuple[Policy, tuple[Any, ...]]:
    """The policy of an agent, of one that plays in Python alone a callback to it, which plays -1 where it raises."""

    def act(own: int, opp: int) -> int:
        return int(agent.act_batch(observations_of(agent.game, np.array([[own, opp]], dtype=np.uint64)))[0])

    return agent.policy() or (PythonPolicy(), (Callback(act),))
