"""Agents for ci_envs: policies made from a spec string.

>>> from ci_envs import make_agent
>>> make_agent("minimax:depth=3", "Quixo-v0", seed=0)  # doctest: +SKIP
"""

if __name__ == "agents":  # the folder of the source tree, imported as a package of its own
    raise ImportError("agents is a folder of ci_envs, not a package: write `from ci_envs import agents`")

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import as_agent
from ci_envs.agent_interface.making import make_agent as make
from ci_envs.agent_interface.making import register_agent as register
from ci_envs.agent_interface.observations import Observation
from ci_envs.registry.agents import AGENTS

registered = AGENTS.names

__all__ = ["Agent", "Observation", "as_agent", "make", "register", "registered"]
