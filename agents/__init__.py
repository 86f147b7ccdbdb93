"""Agents for ci_envs: policies made from a spec string.

>>> import agents
>>> agents.make("minimax:depth=3", "Quixo-v0", seed=0)  # doctest: +SKIP
"""

from ci_envs.agent import Agent, Observation, make, register, registered

__all__ = ["Agent", "Observation", "make", "register", "registered"]
