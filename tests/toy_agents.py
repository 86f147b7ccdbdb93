"""Agents in Python for tests."""

import numpy as np

from ci_envs.agent_interface.interface import Agent


class FirstLegal(Agent):
    """An agent that plays the legal action with the lowest number, without random numbers."""

    def act_batch(self, observations):
        return observations["action_mask"].argmax(axis=1)


class RandomInPython(Agent):
    """A random agent that compiled code must call in Python."""

    def act_batch(self, observations):
        return self.any_of(observations["action_mask"])


class Broken(Agent):
    """An agent that always raises an error."""

    def act_batch(self, observations):
        raise ValueError(f"a bug, seen on {len(observations['action_mask'])} boards")


class Illegal(Agent):
    """An agent that plays an action below the range."""

    def act_batch(self, observations):
        return np.full(len(observations["action_mask"]), -1)


class OutOfRange(Agent):
    """An agent that plays an action above the range."""

    def act_batch(self, observations):
        return np.full(len(observations["action_mask"]), self.game.action_count)
