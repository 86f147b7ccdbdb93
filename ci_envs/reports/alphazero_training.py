"""Networks of ``alphazero`` in a section, and their training with the options of a report."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent_interface.interface import PositionAgent
from ci_envs.games.game import Game
from ci_envs.reports.trainers import new_trainer
from ci_envs.training.trainer import Trainer

if TYPE_CHECKING:
    from ci_envs.agents.alphazero.network import Network


class TrainedNetwork(NamedTuple):
    """The result of a run of training.

    Attributes:
        network: The network at the end of the run.
        losses: The mean over the games of each iteration of the sum of the losses of their positions.
        outcomes: The result of each game whose first position is still in the replay buffer: 1 if the first player won,
            -1 if the second player won, 0 for a draw.
    """

    network: "Network"
    losses: tuple[float, ...]
    outcomes: tuple[int, ...]


def untrained_network(game: Game, architecture: str, seed: int) -> "Network":
    """Return a network with the name of its architecture and random weights."""
    from ci_envs.agents.alphazero.architecture import ARCHITECTURES
    from ci_envs.agents.alphazero.network import new_network

    return new_network(game, ARCHITECTURES[architecture], seed)


def network_agent(game: Game, network: "Network", seed: int, **options: Any) -> PositionAgent:
    """Return our ``alphazero`` with a network. Each decision evaluates one leaf at a time.

    Args:
        game: The game.
        network: The network.
        seed: The seed of the agent.
        options: More options of the agent, for example ``simulations``.
    """
    from ci_envs.agents.alphazero.agent import AlphaZeroAgent

    return AlphaZeroAgent(game, network, lookahead=1, leaves=1, seed=seed, **options)


def parameter_count(game: Game, architecture: str) -> int:
    """Return the number of parameters of a network."""
    return sum(weights.numel() for weights in untrained_network(game, architecture, 0).parameters())


class _Recorder:
    """A run without measurements and files, which keeps the metrics of each iteration."""

    def __init__(self, trainer: Trainer) -> None:
        self.metrics: list[Mapping[str, float]] = []
        self._trainer = trainer

    @property
    def is_over(self) -> bool:
        return self._trainer.done >= self._trainer.total

    @property
    def next_measurement(self) -> float:
        return self._trainer.total

    def update(self) -> None:
        if self._trainer.count > len(self.metrics):
            self.metrics.append(self._trainer.metrics())

    def log(self, numbers: Mapping[str, float]) -> None:
        """Ignore numbers for TensorBoard."""


def train_alphazero(environment: str, options: Mapping[str, Any], iterations: int, seed: int) -> TrainedNetwork:
    """Train ``alphazero``.

    Args:
        environment: The id of the environment.
        options: Options of ``ci-envs train alphazero``.
        iterations: The length of the run in iterations.
        seed: The seed of all random numbers.
    """
    trainer = new_trainer("alphazero", environment, seed, iterations=iterations, **options)
    recorder = _Recorder(trainer)
    trainer.train(recorder)
    samples = trainer.state().arrays["replay"]
    outcomes = _outcomes(trainer.task.game, samples)
    return TrainedNetwork(trainer.network.eval(), tuple(_losses(recorder.metrics)), tuple(outcomes))


def _losses(rows: Sequence[Mapping[str, float]]) -> Iterator[float]:
    """Yield the loss of each row of a learning curve for a game."""
    before = {"positions": 0.0, "games": 0.0}
    for row in rows:
        length = (row["positions"] - before["positions"]) / (row["games"] - before["games"])
        yield length * (row["loss/policy"] + row["loss/value"])
        before = dict(row)


def _outcomes(game: Game, samples: NDArray[np.void]) -> Iterator[int]:
    """Yield the results of the games whose first position is among the samples."""
    own, opp = game.start()
    for sample in samples[(samples["own"] == own) & (samples["opp"] == opp)]:
        yield 0 if sample["drawn"] else int(np.sign(sample["value"]))
