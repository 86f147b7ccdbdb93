"""Monte Carlo control with a table: Sutton and Barto, "Reinforcement learning", 2nd edition, 2018, chapter 5."""

from functools import partial

from agents.tabular import TabularAgent
from agents.tabular_training import train


class MonteCarloAgent(TabularAgent):
    """Plays by a table of values that whole episodes made: ``monte_carlo:PATH``."""

    method = "monte_carlo"
    train = staticmethod(partial(train, method))
