"""Training of our ``alphazero`` in a section, with the options of a report."""

import csv
import io
from collections.abc import Mapping
from contextlib import redirect_stderr
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from ci_envs.games.game import Game

if TYPE_CHECKING:
    from ci_envs.agents.alphazero.network import Network


class TrainedNetwork(NamedTuple):
    """The result of a run of training.

    Attributes:
        network: The network at the end of the run.
        losses: The sum of the losses of the positions of each iteration.
    """

    network: "Network"
    losses: tuple[float, ...]


_UNMEASURED: Mapping[str, Any] = {
    "ladder": ("random",),
    "ladder_games": 2,
    "ladder_simulations": 1,
    "measurements": 1,
    "gate": 0.0,
    "checkpoint_seconds": 1000,
}
"""Options of a run without measurements. The last network counts as the best network."""


def train_alphazero(
    environment: str, game: Game, options: Mapping[str, Any], iterations: int, seed: int
) -> TrainedNetwork:
    """Train ``alphazero`` in a temporary folder, without a display of the progress.

    Args:
        environment: The id of the environment.
        game: The game of the environment.
        options: Options of ``ci-envs train alphazero``.
        iterations: The length of the run in iterations.
        seed: The seed of all random numbers.
    """
    from ci_envs.agents.alphazero.model_file import read_model
    from ci_envs.training import train
    from ci_envs.training.folder import CURVE

    with TemporaryDirectory() as name:
        folder = Path(name) / "run"
        with redirect_stderr(io.StringIO()):
            train("alphazero", environment, output=folder, seed=seed, iterations=iterations, **options, **_UNMEASURED)
        with (folder / CURVE).open(newline="") as file:
            rows = [{key: float(value or 0) for key, value in row.items()} for row in csv.DictReader(file)]
        network = read_model(folder / "best.safetensors", game).network
    counts = [
        row["positions"] - before["positions"] for row, before in zip(rows, [{"positions": 0.0}, *rows], strict=False)
    ]
    losses = [count * (row["loss/policy"] + row["loss/value"]) for row, count in zip(rows, counts, strict=True)]
    return TrainedNetwork(network, tuple(losses))
