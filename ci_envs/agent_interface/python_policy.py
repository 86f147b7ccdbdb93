"""The policy that calls an agent in Python."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ci_envs.agent_interface.action import whole_numbers
from ci_envs.agent_interface.decision import ask
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.policy import CompiledPolicy, Policy, choose
from ci_envs.agent_interface.policy_agent import compiled_policy
from ci_envs.kernels.callback import Callback
from ci_envs.kernels.dispatch import implements
from ci_envs.registry.user_code import reason


@dataclass(frozen=True)
class PythonPolicy(Policy):
    """A policy that calls an agent in Python from compiled code. Its memory is a callback."""


@implements(choose, PythonPolicy)
def _(policy: PythonPolicy) -> Any:
    def kernel(policy: Any, game: Any, own: Any, opp: Any, seed: Any, memory: Any) -> Any:
        return memory[0](own, opp)

    return kernel


def policy_of(agent: Agent) -> CompiledPolicy:
    """Return the policy of an agent, for one thread.

    The policy of an agent that runs in Python calls the agent. If the agent raises an error, the policy plays -1.
    """

    def act(own: int, opp: int) -> int:
        return int(whole_numbers(ask(agent, np.array([[own, opp]], dtype=np.uint64)), 1, agent)[0])

    return compiled_policy(agent) or CompiledPolicy(PythonPolicy(), (Callback(act),))


def error_of(compiled: CompiledPolicy, name: str) -> BaseException:
    """Return the error about the illegal action of an opponent: Ctrl-C, or a ValueError with its cause.

    Args:
        compiled: the policy of the opponent.
        name: its name for the message.
    """
    callback = compiled.memory[0] if isinstance(compiled.policy, PythonPolicy) else None
    cause = callback.error if isinstance(callback, Callback) else None
    if cause is not None and not isinstance(cause, Exception):
        return cause
    what = "played an illegal action" if cause is None else f"fails: {reason(cause)}"
    error = ValueError(f"the opponent {name} {what}")
    error.__cause__ = cause
    return error
