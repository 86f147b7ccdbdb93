"""The literal training of report E for many games, with fewer explorations.

``train_long()`` wrote the log in the package, in five minutes of processor time. With the 2,000 explorations of the
report, its 50,000 games would take five hours.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np

from ci_envs.reports.alphazero_training import untrained_network
from ci_envs.reports.report_e.agent import PLAY, ExploringAgent
from ci_envs.reports.report_e.exploration import ExploreSettings
from ci_envs.reports.report_e.matches import play_perfect_defender
from ci_envs.reports.report_e.self_play import train
from ci_envs.reports.report_e.trainings import GAME
from ci_envs.storage.files import write_whole

GAMES = 50_000
"""The number of games of self-play of report E."""

SETTINGS = ExploreSettings(explorations=50)
"""The search of the long training, repaired as the text says."""

MATCHES = 20
"""The number of games against perfect play after each block."""

LOGGED_GAMES, LOGGED_EVERY = 20, 100
"""The program of report E prints the mean loss of the last 20 games after each 100 games."""

BLOCK = 1_000
"""The number of games of a block."""

_LOG = Path(__file__).with_name("long_training.json")


@dataclass(frozen=True)
class LongTrainingLog:
    """The log of the long training.

    Attributes:
        means: The mean loss of the last 20 games, after each 100 games.
        medians: The median loss of each block of 1,000 games.
        first_wins: The percentage of the games of each block that the first player won.
        perfect_wins: The number of games against perfect play, of 20, that the agent won after each block. The agent
            moved first, with the repaired search and 1,000 explorations for each move.
    """

    means: list[float] = field(default_factory=list)
    medians: list[float] = field(default_factory=list)
    first_wins: list[float] = field(default_factory=list)
    perfect_wins: list[int] = field(default_factory=list)

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.medians) * BLOCK


def train_long(games: int = GAMES, path: Path = _LOG, seed: int = 0) -> None:
    """Train a new network, and write the log after each block of games.

    Args:
        games: The number of games, a multiple of 1,000.
        path: The file of the log.
        seed: The seed of the weights and of the games.
    """
    network, log = untrained_network(GAME, "unpadded", seed), LongTrainingLog()
    training = train(network, GAME, SETTINGS, seed)
    play = SETTINGS._replace(explorations=PLAY.explorations, temperature=PLAY.temperature)
    for _ in range(games // BLOCK):
        block = list(islice(training, BLOCK))
        losses, outcomes = [loss for loss, _ in block], [played.outcome for _, played in block]
        ends = range(LOGGED_EVERY, BLOCK + 1, LOGGED_EVERY)
        log.means.extend(round(float(np.mean(losses[end - LOGGED_GAMES : end])), 3) for end in ends)
        log.medians.append(round(float(np.median(losses)), 3))
        log.first_wins.append(100 * outcomes.count(1) / BLOCK)
        agent = ExploringAgent(GAME, network, play, seed=seed)
        log.perfect_wins.append(play_perfect_defender(agent, MATCHES, seed).won)
        write_whole(path, json.dumps(asdict(log)).encode())


@cache
def read_long_log() -> LongTrainingLog:
    """Return the log of the long training in the package."""
    content: Mapping[str, list[float]] = json.loads(_LOG.read_bytes())
    return LongTrainingLog(**content)  # type: ignore[arg-type]
