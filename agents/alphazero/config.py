"""Settings of training."""

from dataclasses import asdict, dataclass, field
from typing import Any

from ci_envs.agents.alphazero.network import ARCHITECTURES
from ci_envs.agents.alphazero.search import SELECTIONS
from ci_envs.agents.alphazero.self_play import Noise
from ci_envs.games import integer_between
from ci_envs.games.game import Game
from ci_envs.validation import nonnegative_number, one_of, positive_number, probability, true_or_false


@dataclass(frozen=True)
class Config:
    """What a run of training is made of.

    Attributes:
        architecture: name of a network (:data:`~ci_envs.agents.alphazero.network.ARCHITECTURES`).
        selection: ``gumbel``, ``puct`` or ``ucb``.
        exploration: of the search.
        simulations: a position in self-play.
        considered: actions at Gumbel's root.
        noise: of self-play by visits.
        games: of self-play in an iteration.
        lanes: of them side by side, of each thread.
        max_plies: after which a game of self-play is drawn.
        random_plies: up to so many begin a game of self-play.
        discount: of the result of a game, for each ply to its end.
        contempt: by how much a draw is worse than even for who searches, in self-play and when the network is
            measured.
        value_mix: share of the search's value in what a position is worth.
        capacity: positions in the replay buffer.
        kept: share of the buffer that stays when it is full and pruned at random, as in the report on Quixo; 0 means
            that the oldest are forgotten first.
        symmetries: learn from images of the positions too.
        reuse: how often a position is learned from.
        batch: positions of a step of learning.
        learning_rate: of AdamW at first; it falls to 0 by a cosine.
        weight_decay: of AdamW.
        ladder: who the network is measured against.
        ladder_games: against each of them, and against the best network before.
        ladder_simulations: a position with which it is measured.
        ladder_temperature: with which it plays then.
        openings: random plies with which those games begin.
        gate: share of the points against the best network for which the new one takes its place.

    Raises:
        ValueError: a value is out of range.
    """

    architecture: str = "32x3"
    selection: str = "gumbel"
    exploration: float = 1.5
    simulations: int = 32
    considered: int = 16
    noise: Noise = field(default_factory=Noise)
    games: int = 512
    lanes: int = 128
    max_plies: int = 100
    random_plies: int = 0
    discount: float = 1.0
    contempt: float = 0.0
    value_mix: float = 0.5
    capacity: int = 200_000
    kept: float = 0.0
    symmetries: bool = True
    reuse: float = 4.0
    batch: int = 256
    learning_rate: float = 2e-3
    weight_decay: float = 1e-4
    ladder: tuple[str, ...] = ("random", "minimax:depth=1", "minimax:depth=3")
    ladder_games: int = 100
    ladder_simulations: int = 50
    ladder_temperature: float = 0.0
    openings: int = 2
    gate: float = 0.5

    def __post_init__(self) -> None:
        for name, known in (("architecture", ARCHITECTURES), ("selection", SELECTIONS)):
            one_of(name, getattr(self, name), known)
        for name in ("simulations", "considered", "games", "lanes", "max_plies", "capacity", "batch"):
            integer_between(name, getattr(self, name), 1)
        for name, least in (("ladder_simulations", 1), ("ladder_games", 2), ("openings", 0), ("random_plies", 0)):
            integer_between(name, getattr(self, name), least)
        for name in ("exploration", "reuse", "learning_rate"):
            positive_number(name, getattr(self, name))
        nonnegative_number("ladder_temperature", self.ladder_temperature)
        true_or_false("symmetries", self.symmetries)
        for name in ("value_mix", "discount", "contempt", "weight_decay", "kept", "gate"):
            probability(name, getattr(self, name))

    def to_dict(self) -> dict[str, Any]:
        """As a dictionary of plain values."""
        return asdict(self)


def preset(game: Game, **changes: Any) -> Config:
    """The settings for a game, with changes.

    Raises:
        ValueError: there is no such setting, or a value is out of range.
    """
    if unknown := [name for name in changes if name not in Config.__dataclass_fields__]:
        raise ValueError(f"there is no setting {unknown[0]!r}; there are {', '.join(Config.__dataclass_fields__)}")
    return Config(**{**game.training_presets().get("alphazero", {}), **changes})
