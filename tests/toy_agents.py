"""Agents in Python to test with."""

import numpy as np

from ci_envs.agent.interface import Agent


class FirstLegal(Agent):
    """Plays the legal action with the lowest number, and draws no random numbers."""

    def act_batch(self, observations):
        return observations["action_mask"].argmax(axis=1)


class RandomInPython(Agent):
    """Random play that compiled code has to call."""

    def act_batch(self, observations):
        return self.any_of(observations["action_mask"])


class Broken(Agent):
    """Fails whenever it is asked."""

    def act_batch(self, observations):
        raise ValueError(f"a bug, seen on {len(observations['action_mask'])} boards")


class Illegal(Agent):
    """Plays an action below the range."""

    def act_batch(self, observations):
        return np.full(len(observations["action_mask"]), -1)


class OutOfRange(Agent):
    """Plays an action above the range."""

    def act_batch(self, observations):
        return np.full(len(observations["action_mask"]), self.game.action_count)
