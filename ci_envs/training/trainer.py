"""The interface of a trainer: one algorithm that learns one game."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from numpy.typing import NDArray

from ci_envs.agent.interface import Agent
from ci_envs.games.game import Game
from ci_envs.training.config import TrainingConfig
from ci_envs.training.ladder import Ladder, Measurement


@dataclass(frozen=True)
class Task:
    """The task that a trainer learns.

    Attributes:
        environment: the id of the environment, with its parameters.
        game: its game.
        max_cycles: plies after which it ends a game as a draw; None is the game's own limit.
        seed: the seed of all random numbers.
    """

    environment: str
    game: Game
    max_cycles: int | None
    seed: int


class TrainerState(NamedTuple):
    """All that a trainer needs to continue exactly as if it had never stopped.

    Attributes:
        values: plain values, as JSON can hold them.
        arrays: by name.
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
        """Measure the agent, write a checkpoint and show the progress, each if it is due.

        The trainer calls it between two steps, when its state is consistent.
        """

    def log(self, numbers: Mapping[str, float]) -> None:
        """Log further numbers by their tags for TensorBoard; they are not part of the learning curve."""


class Trainer(ABC):
    """One algorithm that learns one game; a run (:mod:`ci_envs.training.run`) does the rest.

    Attributes:
        learner: the name of the agent that the trainer makes.
        config_type: the dataclass of its options.
        unit: what :attr:`count` counts, in the plural.
        best_file: the name of the file of the best agent in a run folder.
        logs_every_step: whether the learning curve has a row for each step, not only for each measurement.
        logs_start: whether the rows of each step begin with one for a ``count`` of 0.
        latest_is_best: whether the latest agent always counts as the best.
        timings: the names of the metrics that are measured with a clock, so that they differ from run to run.
        named_presets: options as in a spec string, by the name that the option ``preset`` selects them with.
    """

    learner: ClassVar[str]
    config_type: ClassVar[type[TrainingConfig]]
    unit: ClassVar[str]
    best_file: ClassVar[str]
    logs_every_step: ClassVar[bool] = False
    logs_start: ClassVar[bool] = False
    latest_is_best: ClassVar[bool] = False
    timings: ClassVar[tuple[str, ...]] = ()
    named_presets: ClassVar[Mapping[str, str]] = {}

    def __init__(self, task: Task, config: Any) -> None:
        """Make a trainer that has learned nothing yet.

        Args:
            task: what it learns.
            config: its options, of the type ``config_type``.

        Raises:
            ValueError: an option does not fit the game.
        """
        self.task = task
        self.config = config

    @classmethod
    def presets(cls, game: Game) -> Mapping[str, Any]:
        """Return the options that replace the defaults in a game."""
        return game.training_presets().get(cls.learner, {})

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of units that are done."""

    @property
    def done(self) -> float:
        """The part of :attr:`total` that is done: by default the units."""
        return self.count

    @property
    @abstractmethod
    def total(self) -> float:
        """The value of :attr:`done` at the end of the run; a whole number unless the run is limited by time."""

    def train(self, run: Run) -> None:
        """Train until the run is over: here by calling :meth:`step`.

        A trainer whose library has a loop of its own overrides it, and needs no :meth:`step`.
        """
        run.update()  # a measurement may be due since an interrupt
        while not run.is_over:
            self.step(run.next_measurement)
            run.update()

    def step(self, stop: float) -> None:
        """Train up to the next point at which the state is consistent, for at most a few seconds.

        Args:
            stop: the value of :attr:`done` to stop at if that point comes later. A trainer whose steps cannot be
                divided ignores it.
        """
        raise NotImplementedError(f"{type(self).__name__} implements neither step nor train")

    @abstractmethod
    def metrics(self) -> Mapping[str, float]:
        """Return numbers that describe the training so far, for the learning curve; a function of the state.

        An agent whose training is deterministic repeats all of them but its :attr:`timings`.
        """

    @abstractmethod
    def state(self) -> TrainerState | None:
        """Return the state, or None while it is not consistent: in the middle of a step."""

    @abstractmethod
    def restore(self, state: TrainerState) -> None:
        """Continue from a state that another trainer with the same task and options returned.

        Raises:
            ValueError: the state does not fit.
        """

    @abstractmethod
    def agent(self) -> Agent:
        """Return the agent as it is now."""

    @abstractmethod
    def adopt(self, measurement: Measurement, ladder: Ladder) -> bool:
        """Let the agent as it is now become the best one if it is good enough, and return whether it did.

        Args:
            measurement: the results of the agent as it is now on the ladder.
            ladder: plays further matches, for example against the best agent.
        """

    @abstractmethod
    def write_best(self, path: Path) -> None:
        """Write the file of the best agent so far."""
