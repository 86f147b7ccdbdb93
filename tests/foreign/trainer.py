"""A trainer, its agent and a game of a user. The tests name them by this file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from ci_envs.agents import Agent
from ci_envs.games.connect_n import ConnectN
from ci_envs.registry.options import Option
from ci_envs.training.config import TrainingConfig
from ci_envs.training.trainer import Trainer, TrainerState


class Own(ConnectN):
    """A game of a user."""


class Fixed(Agent):
    """Plays the legal action with a number that a file has."""

    def __init__(self, game, path=None, *, number=0, seed=None):
        super().__init__(game, seed=seed)
        self.number = int(Path(path).read_text()) if path else number

    def act(self, observation):
        legal = np.flatnonzero(observation["action_mask"])
        return int(legal[self.number % len(legal)])


@dataclass(frozen=True, kw_only=True)
class RoundsConfig(TrainingConfig):
    """The options of Rounds."""

    rounds: Annotated[int, Option("number of rounds", ge=1, is_length=True)] = 6


class Rounds(Trainer):
    """Counts rounds. The agent plays the action with the number of rounds."""

    learner, config_type, unit, best_file = "fixed", RoundsConfig, "rounds", "best.txt"

    def __init__(self, task, config):
        super().__init__(task, config)
        self.completed = self.best = 0

    @property
    def count(self):
        return self.completed

    @property
    def total(self):
        return self.config.rounds

    def step(self, stop):
        self.completed += 1

    def metrics(self):
        return {"number": float(self.completed)}

    def state(self):
        return TrainerState({"completed": self.completed, "best": self.best}, {})

    def restore(self, state):
        self.completed, self.best = state.values["completed"], state.values["best"]

    def agent(self):
        return Fixed(self.task.game, number=self.completed)

    def adopt(self, measurement, ladder):
        self.best = self.completed
        return True

    def write_best(self, path):
        path.write_text(str(self.best))
