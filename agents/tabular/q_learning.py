"""Q-learning with a table: Watkins, "Learning from delayed rewards", 1989."""

from typing import ClassVar

from ci_envs.agents.tabular.agent import TabularAgent


class QLearningAgent(TabularAgent):
    """Agent that plays by a table of action values that Q-learning learned: ``q_learning:PATH``."""

    method = "q_learning"
    trainer: ClassVar[str | type] = "ci_envs.agents.tabular.training:QLearningTrainer"
