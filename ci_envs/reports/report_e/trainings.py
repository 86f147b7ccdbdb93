"""The trainings of section E, with the logs of those that take too long for a run of the section.

The package has the results of three trainings, with the seed 0:

| training | command | time on one core |
|---|---|---|
| literal | ``train_from_start(ConnectN(), 3000, ExploreSettings(explorations=2000), 0)`` | 19 minutes |
| described | ``train_alphazero(ENVIRONMENT, DESCRIBED, 3000, 0)`` | 5 minutes |
| ours | ``train_alphazero(ENVIRONMENT, OURS, 60, 0)`` | 1 minute |

The literal training ran with two threads of PyTorch. With one thread PyTorch rounds some sums otherwise, and from the
second game on the training is another one.
"""

import json
from collections.abc import Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.reports.alphazero_training import untrained_network
from ci_envs.reports.report_e.exploration import ExploreSettings
from ci_envs.reports.report_e.self_play import train

if TYPE_CHECKING:
    from ci_envs.agents.alphazero.network import Network

ENVIRONMENT, GAME = "ConnectN-v0", ConnectN()

DESCRIBED: Mapping[str, Any] = {"preset": "E"}
"""Report E's training as options of ``ci-envs train alphazero``."""

GAMES_OF_STEP = 50
"""The games of an iteration of our training."""

OURS: Mapping[str, Any] = {
    "games": GAMES_OF_STEP,
    "lanes": GAMES_OF_STEP,
    "batch": 256,
    "learning_rate": 2e-3,
    "weight_decay": 1e-4,
    # those of the stored log, which is older than the other choices
    "optimizer": "adamw",
    "value_loss": "squared_error",
    "precision": "float32",
}
"""Our training, for runs of a few thousand games, which the larger steps of the defaults make slower at first."""

PLAY_OPTIONS: Mapping[str, Any] = {"simulations": 200, "exploration": 1.0}
"""The options with which our ``alphazero`` plays by networks of this section."""

_FOLDER = Path(__file__).parent


class TrainingLog(NamedTuple):
    """The games of a training.

    Attributes:
        losses: The loss of each game. Games of the same iteration have the same loss.
        outcomes: 1 for each game that the first player won, -1 for each that the second player won, 0 for each draw.
    """

    losses: list[float]
    outcomes: list[int]


@cache
def read_logs() -> Mapping[str, TrainingLog]:
    """Return the logs of the trainings by their names in the table above."""
    content = json.loads((_FOLDER / "training_logs.json").read_bytes())
    return {name: TrainingLog(log["losses"], log["outcomes"]) for name, log in content.items()}


def described_network() -> "Network":
    """Return the network of the described training."""
    from ci_envs.agents.alphazero.model_file import read_model

    return read_model(_FOLDER / "described.safetensors", GAME).network


def train_from_start(game: Game, games: int, settings: ExploreSettings, seed: int) -> "tuple[Network, TrainingLog]":
    """Train a new network by the literal training.

    Args:
        game: The game.
        games: The number of games of self-play.
        settings: The settings of the search.
        seed: The seed of the weights and of the games.
    """
    network = untrained_network(game, "unpadded", seed)
    log = TrainingLog([], [])
    for loss, played in islice(train(network, game, settings, seed), games):
        log.losses.append(loss)
        log.outcomes.append(played.outcome)
    return network, log
