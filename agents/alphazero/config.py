"""The options of AlphaZero's training."""

from dataclasses import dataclass

from ci_envs.agents.alphazero.network import ARCHITECTURES
from ci_envs.agents.alphazero.search import MAX_LOOKAHEAD, MAX_SIMULATIONS, SELECTIONS, SearchSettings
from ci_envs.agents.alphazero.self_play import Noise, SelfPlay
from ci_envs.games.game import Game
from ci_envs.training.checks import POSITIVE, PROBABILITY, Choice, Flag, Integer, Number, OrNone, Text
from ci_envs.training.config import TrainingConfig, WorkerOptions, option, with_default
from ci_envs.validation import integer_between

_SELECTION = Choice(tuple(SELECTIONS))
_ITERATIONS = 50
_LOOKAHEAD, _SIMULATIONS = Integer(1, MAX_LOOKAHEAD), Integer(1, MAX_SIMULATIONS)


@dataclass(frozen=True, kw_only=True)
class AlphaZeroConfig(WorkerOptions, TrainingConfig):
    """The options of ``alphazero``.

    Raises:
        ValueError: a value is not allowed, or two do not go together.
    """

    iterations: int | None = option(
        f"length of the run, in iterations of self-play and learning; none is {_ITERATIONS} without minutes",
        OrNone(Integer(1)),
        None,
        changeable=True,
    )
    minutes: float | None = option(
        "length of the run in minutes of self-play and learning, instead of iterations; the last one is completed",
        OrNone(POSITIVE),
        None,
        changeable=True,
    )
    threads: int = option(
        "threads of self-play, each with its own games and random numbers, and of learning", Integer(1), 1
    )
    workers: int | None = with_default(WorkerOptions, "workers", None, changeable=False)
    device: str | None = option(
        "device of the network; none is cuda if it is available, else cpu",
        OrNone(Text("a device of PyTorch")),
        None,
        changeable=True,
    )

    architecture: str = option(
        "network: channels x residual blocks, or that of report A or E", Choice(tuple(ARCHITECTURES)), "32x3"
    )
    selection: str = option("selection rule of the search in self-play", _SELECTION, "gumbel")
    exploration: float = option("exploration constant of the search in self-play", POSITIVE, 1.5)
    simulations: int = option("simulations for each position in self-play", _SIMULATIONS, 32)
    considered: int = option("actions that the root considers with selection=gumbel", Integer(1), 16)
    lookahead: int = option("plies within which a leaf is searched for a forced result in self-play", _LOOKAHEAD, 1)
    prior_temperature: float = option("temperature of the priors in self-play", POSITIVE, 1.0)
    contempt: float = option(
        "how much worse than even the player to move values a draw, in self-play and on the ladder", PROBABILITY, 0.0
    )
    dirichlet_concentration: float = option(
        "concentration of the Dirichlet noise at the root, summed over all actions; not with selection=gumbel",
        POSITIVE,
        10.0,
    )
    dirichlet_fraction: float = option(
        "share of the Dirichlet noise in the priors at the root; not with selection=gumbel", PROBABILITY, 0.25
    )
    sampled_plies: int = option(
        "plies of a game whose actions are sampled from the policy of the search; later the best one is played;"
        " not with selection=gumbel",
        Integer(0),
        8,
    )
    sampling_temperature: float = option("temperature of the sampled plies; 0 plays the best action", Number(0), 1.0)

    games: int = option("games of self-play in an iteration", Integer(1), 512)
    lanes: int = option("games that each thread or worker plays at the same time", Integer(1), 128)
    max_plies: int = option("plies after which a game of self-play is a draw", Integer(1), 100)
    random_plies: int = option("a game of self-play starts with at most this many random plies", Integer(0), 0)
    discount: float = option("discount of the result of a game, for each ply to its end", PROBABILITY, 1.0)
    value_mix: float = option(
        "share of the value of the search in the target of a value; the rest is the result of the game",
        PROBABILITY,
        0.5,
    )

    capacity: int = option("positions in the replay buffer", Integer(1), 200_000)
    kept: float = option(
        "share of a full replay buffer that is kept, at random; 0 replaces the oldest positions", PROBABILITY, 0.0
    )
    symmetries: bool = option("learn from random symmetries of the positions", Flag(), True)
    reuse: float = option("how often each position is learned from, on average", POSITIVE, 4.0)
    batch: int | None = option(
        "positions in a step of gradient descent; none takes one step in each iteration, on the sum of the losses of"
        " all its positions",
        OrNone(Integer(1)),
        256,
    )
    learning_rate: float = option("learning rate of AdamW at the start", POSITIVE, 2e-3)
    learning_rate_end_share: float = option(
        "share of the learning rate that is left at the end of its cosine schedule", PROBABILITY, 0.01
    )
    weight_decay: float = option("weight decay of AdamW", PROBABILITY, 1e-4)

    gate: float = option(
        "score against the best network, from 0 to 1, with which a network replaces it", PROBABILITY, 0.5
    )
    ladder: tuple[str, ...] = with_default(TrainingConfig, "ladder", ("random", "minimax:depth=1", "minimax:depth=3"))
    ladder_games: int = option("games against each opponent, and against the best network", Integer(2), 100)
    ladder_random_plies: int = with_default(TrainingConfig, "ladder_random_plies", 2)
    ladder_simulations: int = option("simulations for each action on the ladder", _SIMULATIONS, 50)
    ladder_selection: str = option("selection rule of the search on the ladder", _SELECTION, "puct")
    ladder_exploration: float = option("exploration constant of the search on the ladder", POSITIVE, 1.5)
    ladder_lookahead: int = option(
        "plies within which a leaf is searched for a forced result on the ladder; 1 measures the network alone",
        _LOOKAHEAD,
        1,
    )
    ladder_temperature: float = option(
        "temperature with which actions are sampled on the ladder; 0 plays the best", Number(0), 0.0
    )
    measurements: int = with_default(TrainingConfig, "measurements", 20)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.iterations is None and self.minutes is None:
            object.__setattr__(self, "iterations", _ITERATIONS)
        if self.iterations is not None and self.minutes is not None:
            raise ValueError(
                f"iterations={self.iterations} and minutes={self.minutes:g} are two lengths: give one of them"
            )
        integer_between("threads" if self.workers is None else "workers", self.shares, 1, self.games)

    @property
    def shares(self) -> int:
        """The number of threads or workers that share the games of an iteration."""
        return self.threads if self.workers is None else self.workers

    def self_play(self, game: Game, max_cycles: int | None = None) -> SelfPlay:
        """Return how the games of self-play are played.

        Args:
            game: the game that is learned.
            max_cycles: plies after which its environment ends a game as a draw, if that is set.
        """
        settings = SearchSettings(
            SELECTIONS[self.selection],
            self.exploration,
            self.simulations,
            self.considered,
            self.lookahead,
            self.prior_temperature,
        )
        noise = Noise(
            self.dirichlet_concentration, self.dirichlet_fraction, self.sampled_plies, self.sampling_temperature
        )
        return SelfPlay(
            game,
            settings,
            noise,
            lanes=self.lanes,
            max_plies=self.max_plies if max_cycles is None else min(max_cycles, self.max_plies),
            random_plies=self.random_plies,
            discount=self.discount,
            value_mix=self.value_mix,
            contempt=self.contempt,
        )
