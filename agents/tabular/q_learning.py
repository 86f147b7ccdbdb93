"""Q-learning with a table: Watkins, "Learning from delayed rewards", 1989."""

from functools import partial

from ci_envs.agents.tabular.agent import TabularAgent
from ci_envs.agents.tabular.training import train


class QLearningAgent(TabularAgent):
    """Plays by a table of action values that Q-learning made: ``q_learning:PATH``."""

    method = "q_learning"
    train = staticmethod(partial(train, method))
