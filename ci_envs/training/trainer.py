"""The interface of a trainer: a learning algorithm that trains an agent in a game."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from numpy.typing import NDArray

from ci_envs.agent_interface.interface import Agent
from ci_envs.games.game import Game
from ci_envs.training.config import TrainingConfig
from ci_envs.training.ladder import Ladder, Measurement
from ci_envs.training.presets import training_presets


@dataclass(frozen=True)
class Task:
    """The task of a trainer.

    Attributes:
        environment: The id of the environment, with its parameters.
        game: The game of the environment.
        max_cycles: The number of plies after which a game is a draw. None means the limit of the game.
        seed: The seed of all random numbers.
    """

    environment: str
    game: Game
    max_cycles: int | None
    seed: int


class TrainerState(NamedTuple):
    """The state of a trainer. A trainer that continues from it gives the same results as without the interruption.

    Attributes:
        values: JSON values by name.
        arrays: The arrays by name.
    """

    values: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]


class Run(Protocol):
    """The interface of a run for its trainer."""

    @property
    def is_over(self) -> bool:
        """Whether the training is complete."""

    @property
    def next_measurement(self) -> float:
        """The value of :attr:`Trainer.done` at which the agent is measured next."""

    def update(self) -> None:
        """Show the progress. Measure the agent if a measurement is due. Write a checkpoint if a checkpoint is due.

        The trainer calls this method between two steps, when its state is consistent.
        """

    def log(self, numbers: Mapping[str, float]) -> None:
        """Log further numbers by tag for TensorBoard. The learning curve does not contain these numbers."""


class Trainer(ABC):
    """A learning algorithm that trains an agent in a game.

    :mod:`ci_envs.training.run` measures the agent and writes the files.

    Attributes:
        learner: The name of the agent that the trainer makes.
        config_type: The dataclass of the options.
        unit: The name of the units of :attr:`count` in the plural, for example ``episodes``.
        best_file: The name of the file of the best agent in a run folder.
        logs_every_step: Whether the learning curve has a row for each step, not only for each measurement.
        logs_start: Whether the first row of the learning curve has a ``count`` of 0.
        latest_is_best: Whether the latest agent always counts as the best agent.
        timings: The names of the metrics that are measured with a clock. They differ from run to run.
    """

    learner: ClassVar[str]
    config_type: ClassVar[type[TrainingConfig]]
    unit: ClassVar[str]
    best_file: ClassVar[str]
    logs_every_step: ClassVar[bool] = False
    logs_start: ClassVar[bool] = False
    latest_is_best: ClassVar[bool] = False
    timings: ClassVar[tuple[str, ...]] = ()

    def __init__(self, task: Task, config: Any) -> None:
        """Make a trainer with an untrained agent.

        Args:
            task: The task.
            config: The options, of the type ``config_type``.

        Raises:
            ValueError: An option does not fit the game.
        """
        self.task = task
        self.config = config

    @classmethod
    def presets(cls, game: Game) -> Mapping[str, Any]:
        """Return the options that replace the defaults for a game."""
        return training_presets(game).get(cls.learner, {})

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of completed units."""

    @property
    def done(self) -> float:
        """The completed part of :attr:`total`; by default :attr:`count`."""
        return self.count

    @property
    @abstractmethod
    def total(self) -> float:
        """The value of :attr:`done` at the end of the run, an int unless the run is limited by time."""

    @property
    def remark(self) -> str | None:
        """A line to show before the training starts, or None."""
        return None

    def train(self, run: Run) -> None:
        """Train until the run is over, by calls of :meth:`step`.

        A trainer whose library has its own loop overrides this method and does not need :meth:`step`.
        """
        run.update()  # a measurement may be due since an interrupt
        while not run.is_over:
            self.step(run.next_measurement)
            run.update()

    def step(self, stop: float) -> None:
        """Train until the next point at which the state is consistent, for at most a few seconds.

        Args:
            stop: The value of :attr:`done` at which the step ends at the latest. A trainer whose steps cannot be
                divided ignores it.
        """
        raise NotImplementedError(f"{type(self).__name__} implements neither step nor train")

    @abstractmethod
    def metrics(self) -> Mapping[str, float]:
        """Return numbers that describe the training so far, for the learning curve.

        They are a function of the state, except the :attr:`timings`.
        """

    @abstractmethod
    def state(self) -> TrainerState | None:
        """Return the state, or None in the middle of a step, when the state is not consistent."""

    @abstractmethod
    def restore(self, state: TrainerState) -> None:
        """Continue from a state that another trainer with the same task and options returned.

        Raises:
            ValueError: The state does not fit the task or the options.
        """

    @abstractmethod
    def agent(self) -> Agent:
        """Return the current agent."""

    @abstractmethod
    def adopt(self, measurement: Measurement, ladder: Ladder) -> bool:
        """Make the current agent the best agent if it is good enough, and return whether it is.

        Args:
            measurement: The results of the current agent on the ladder.
            ladder: The ladder, which can play further matches, for example against the best agent.
        """

    @abstractmethod
    def write_best(self, path: Path) -> None:
        """Write the file of the best agent so far."""
