"""Monte Carlo control with a table: Sutton and Barto, "Reinforcement learning", 2nd edition, 2018, chapter 5."""

from typing import ClassVar

from ci_envs.agents.tabular.agent import TabularAgent


class MonteCarloAgent(TabularAgent):
    """Agent that plays by a table of values that it learned from whole episodes: ``monte_carlo:PATH``."""

    method = "monte_carlo"
    trainer: ClassVar[str | type] = "ci_envs.agents.tabular.training:MonteCarloTrainer"
