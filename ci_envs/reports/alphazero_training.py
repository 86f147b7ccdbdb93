"""Training of our ``alphazero`` in a section, with the options of a report."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import Game
from ci_envs.reports.section_run import Measure, SectionRun

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


def one_thread(measure: Measure) -> Measure:
    """Return a measurement during which PyTorch uses one thread, which is faster for small networks."""

    @wraps(measure)
    def measured(run: SectionRun) -> None:
        from torch import get_num_threads, set_num_threads

        threads = get_num_threads()
        set_num_threads(1)
        try:
            measure(run)
        finally:
            set_num_threads(threads)

    return measured


_BEST = "best.safetensors"

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
    from ci_envs.training.folder import CURVE, RunFolder

    with TemporaryDirectory() as name:
        folder = Path(name) / "run"
        with redirect_stderr(io.StringIO()):
            train("alphazero", environment, output=folder, seed=seed, iterations=iterations, **options, **_UNMEASURED)
        with (folder / CURVE).open(newline="") as file:
            rows = [{key: float(value or 0) for key, value in row.items()} for row in csv.DictReader(file)]
        network = read_model(folder / _BEST, game).network
        samples = RunFolder(folder, _BEST).read_checkpoint()[1].arrays["replay"]
    return TrainedNetwork(network, tuple(_losses(rows)), tuple(_outcomes(game, samples)))


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
