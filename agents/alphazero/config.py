"""The options of AlphaZero's training."""

from dataclasses import dataclass

from ci_envs.agents.alphazero.network import ARCHITECTURES
from ci_envs.agents.alphazero.self_play import Noise, SelfPlay
from ci_envs.agents.alphazero.settings import MAX_LOOKAHEAD, MAX_SIMULATIONS, SELECTIONS, SearchSettings
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
        ValueError: a value is not allowed, or two values exclude each other.
    """

    iterations: int | None = option(
        f"number of iterations of self-play and learning; none is {_ITERATIONS} if minutes is not given",
        OrNone(Integer(1)),
        None,
        changeable=True,
        is_length=True,
    )
    minutes: float | None = option(
        "minutes of self-play and learning, instead of iterations; the last iteration is completed",
        OrNone(POSITIVE),
        None,
        changeable=True,
        is_length=True,
    )
    threads: int = option(
        "number of threads of self-play, each with its own games and random numbers, and of learning", Integer(1), 1
    )
    workers: int | None = with_default(WorkerOptions, "workers", None, changeable=False)
    device: str | None = option(
        "device of the network; none is cuda if it is available, else cpu",
        OrNone(Text("a device of PyTorch")),
        None,
        changeable=True,
    )

    architecture: str = option(
        "network: channels x residual blocks, or the network of report A or E", Choice(tuple(ARCHITECTURES)), "32x3"
    )
    initial_network: str | None = option(
        "file of a network of this architecture to start from; none starts from random weights",
        OrNone(Text("the path of a network's file")),
        None,
        changeable=True,
    )
    selection: str = option("selection rule of the search in self-play", _SELECTION, "gumbel")
    exploration: float = option("exploration constant of the search in self-play", POSITIVE, 1.5)
    simulations: int = option("simulations per position in self-play", _SIMULATIONS, 32)
    considered: int = option("actions that the root considers with selection=gumbel", Integer(1), 16)
    lookahead: int = option("plies within which a leaf is searched for a forced result in self-play", _LOOKAHEAD, 1)
    prior_temperature: float = option("temperature of the priors in self-play", POSITIVE, 1.0)
    contempt: float = option(
        "maximum reduction of the value of a draw, in self-play and on the ladder", PROBABILITY, 0.0
    )
    keep_tree: bool = option(
        "continue the search in the subtree of the played action, whose visits count as simulations; not with"
        " selection=gumbel or contempt",
        Flag(),
        False,
    )
    dirichlet_concentration: float = option(
        "concentration of the Dirichlet noise at the root, summed over all actions; not with selection=gumbel",
        POSITIVE,
        10.0,
    )
    dirichlet_fraction: float = option(
        "fraction of the Dirichlet noise in the priors at the root; not with selection=gumbel", PROBABILITY, 0.25
    )
    sampled_plies: int = option(
        "first plies of a game, whose actions are sampled from the search policy; later plies play the best action;"
        " not with selection=gumbel",
        Integer(0),
        8,
    )
    sampling_temperature: float = option("temperature of the samples; 0 plays the best action", Number(0), 1.0)

    games: int = option("games of self-play per iteration", Integer(1), 512)
    lanes: int = option("games that each thread or worker plays at the same time", Integer(1), 128)
    max_plies: int = option("plies after which a game of self-play is a draw", Integer(1), 100)
    random_plies: int = option("maximum number of random plies at the start of a game of self-play", Integer(0), 0)
    discount: float = option("discount factor of the result of a game per ply before its end", PROBABILITY, 1.0)
    value_mix: float = option(
        "weight of the search value in the value target; the result of the game has the remaining weight",
        PROBABILITY,
        0.5,
    )

    capacity: int = option("maximum number of positions in the replay buffer", Integer(1), 200_000)
    kept: float = option(
        "fraction of a full replay buffer that is kept, at random; 0 replaces the oldest positions", PROBABILITY, 0.0
    )
    symmetries: bool = option("learn from random symmetries of the positions", Flag(), True)
    reuse: float = option("average number of times that each position is learned from", POSITIVE, 4.0)
    batch: int | None = option(
        "positions per step of gradient descent; none takes one step per iteration, on the sum of the losses of all its"
        " positions",
        OrNone(Integer(1)),
        256,
    )
    learning_rate: float = option("learning rate of AdamW at the start", POSITIVE, 2e-3)
    learning_rate_end_share: float = option(
        "fraction of the learning rate at the end of its cosine schedule", PROBABILITY, 0.01
    )
    weight_decay: float = option("weight decay of AdamW", PROBABILITY, 1e-4)

    gate: float = option("minimum score against the best network, from 0 to 1, to replace it", PROBABILITY, 0.5)
    ladder: tuple[str, ...] = with_default(TrainingConfig, "ladder", ("random", "minimax:depth=1", "minimax:depth=3"))
    ladder_games: int = option("games against each opponent, and against the best network", Integer(2), 100)
    ladder_random_plies: int = with_default(TrainingConfig, "ladder_random_plies", 2)
    ladder_simulations: int = option("simulations per action on the ladder", _SIMULATIONS, 50)
    ladder_selection: str = option("selection rule of the search on the ladder", _SELECTION, "puct")
    ladder_exploration: float = option("exploration constant of the search on the ladder", POSITIVE, 1.5)
    ladder_lookahead: int = option(
        "plies within which a leaf is searched for a forced result on the ladder; 1 measures the network alone",
        _LOOKAHEAD,
        1,
    )
    ladder_temperature: float = option(
        "temperature with which actions are sampled on the ladder; 0 plays the best action", Number(0), 0.0
    )
    measurements: int = with_default(TrainingConfig, "measurements", 20)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.iterations is None and self.minutes is None:
            object.__setattr__(self, "iterations", _ITERATIONS)
        if self.iterations is not None and self.minutes is not None:
            raise ValueError(
                f"give either iterations or minutes, not iterations={self.iterations} and minutes={self.minutes:g}"
            )
        if self.keep_tree and (self.contempt or self.selection == "gumbel"):
            raise ValueError(
                "keep_tree=true needs contempt=0 and selection=puct or ucb, not"
                f" contempt={self.contempt:g} and selection={self.selection}"
            )
        integer_between("threads" if self.workers is None else "workers", self.shares, 1, self.games)

    @property
    def shares(self) -> int:
        """The number of threads or workers that share the games of an iteration."""
        return self.threads if self.workers is None else self.workers

    def self_play(self, game: Game, max_cycles: int | None = None) -> SelfPlay:
        """Return the settings of self-play.

        Args:
            game: the game to learn.
            max_cycles: plies after which the environment ends a game as a draw, or None.
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
            keeps_trees=self.keep_tree,
        )
