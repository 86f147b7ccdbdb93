"""Monte Carlo control with a table: Sutton and Barto, "Reinforcement learning", 2nd edition, 2018, chapter 5."""

from functools import partial

from ci_envs.agents.tabular.agent import TabularAgent
from ci_envs.agents.tabular.training import train


class MonteCarloAgent(TabularAgent):
    """Plays by a table of values that whole episodes made: ``monte_carlo:PATH``."""

    method = "monte_carlo"
    train = staticmethod(partial(train, method))
