"""The options of AlphaZero's training."""

from dataclasses import dataclass, replace
from typing import Annotated

from ci_envs.agents.alphazero.architecture import (
    ARCHITECTURES,
    CROSS_ENTROPY,
    FLOATS,
    INTEGERS,
    LEARNING_PRECISIONS,
    MUON,
    OPTIMIZERS,
    PRECISIONS,
    VALUE_LOSSES,
)
from ci_envs.agents.alphazero.self_play import Noise, SelfPlay
from ci_envs.agents.alphazero.settings import MAX_LOOKAHEAD, MAX_SIMULATIONS, SELECTIONS, SearchSettings
from ci_envs.games.game import Game
from ci_envs.registry.options import Option
from ci_envs.training.config import WORKERS, TrainingConfig, WorkerOptions
from ci_envs.validation import integer_between

_ITERATIONS = 50


@dataclass(frozen=True, kw_only=True)
class AlphaZeroConfig(WorkerOptions, TrainingConfig):
    """The options of ``alphazero``.

    Raises:
        ValueError: a value is not allowed, or two values exclude each other.
    """

    iterations: Annotated[
        int | None,
        Option(
            f"number of iterations of self-play and learning; none is {_ITERATIONS} if minutes is not given",
            ge=1,
            changeable=True,
            is_length=True,
        ),
    ] = None
    minutes: Annotated[
        float | None,
        Option(
            "minutes of self-play and learning, instead of iterations; the last iteration is completed",
            gt=0,
            changeable=True,
            is_length=True,
        ),
    ] = None
    threads: Annotated[
        int, Option("number of threads of self-play, each with its own games and random numbers, and of learning", ge=1)
    ] = 1
    workers: Annotated[int | None, replace(WORKERS, changeable=False)] = None
    device: Annotated[
        str | None,
        Option(
            "device of the network; none is cuda if it is available, else cpu",
            allowed="a device of PyTorch",
            changeable=True,
        ),
    ] = None

    architecture: Annotated[
        str, Option("network: channels x residual blocks, and its layout", choices=ARCHITECTURES)
    ] = "32x3"
    initial_network: Annotated[
        str | None,
        Option(
            "file of a network of this architecture to start from; none starts from random weights",
            allowed="the path of a network's file, or the name of a network of the package",
            changeable=True,
        ),
    ] = None
    teacher: Annotated[
        str | None,
        Option(
            "file of a network of any architecture that plays the games of the first teacher_iterations iterations",
            allowed="the path of a network's file, or the name of a network of the package",
            not_with="teacher_iterations=0",
            changeable=True,
        ),
    ] = None
    teacher_iterations: Annotated[
        int,
        Option("number of first iterations that learn from the games of the teacher", ge=0, not_with="teacher=none"),
    ] = 0
    selection: Annotated[str, Option("selection rule of the search in self-play", choices=SELECTIONS)] = "gumbel"
    exploration: Annotated[float, Option("exploration constant of the search in self-play", gt=0)] = 1.5
    simulations: Annotated[int, Option("simulations per position in self-play", ge=1, le=MAX_SIMULATIONS)] = 32
    considered: Annotated[int, Option("actions that the root considers", ge=1, only_with="selection=gumbel")] = 16
    precision: Annotated[
        str,
        Option("numbers of the network's convolutions in self-play and on the ladder, on a CPU", choices=PRECISIONS),
    ] = INTEGERS
    lookahead: Annotated[
        int, Option("plies within which a leaf is searched for a forced result in self-play", ge=1, le=MAX_LOOKAHEAD)
    ] = 1
    prior_temperature: Annotated[float, Option("temperature of the priors in self-play", gt=0)] = 1.0
    contempt: Annotated[
        float, Option("maximum reduction of the value of a draw, in self-play and on the ladder", ge=0, le=1)
    ] = 0.0
    keep_tree: Annotated[
        bool,
        Option(
            "continue the search in the subtree of the played action, whose visits count as simulations; not with"
            " selection=gumbel or contempt"
        ),
    ] = False
    dirichlet_concentration: Annotated[
        float,
        Option(
            "concentration of the Dirichlet noise at the root, summed over all actions",
            gt=0,
            not_with="selection=gumbel,dirichlet_fraction=0",
        ),
    ] = 10.0
    dirichlet_fraction: Annotated[
        float,
        Option("fraction of the Dirichlet noise in the priors at the root", ge=0, le=1, not_with="selection=gumbel"),
    ] = 0.25
    sampled_plies: Annotated[
        int,
        Option(
            "first plies of a game, whose actions are sampled from the search policy; later plies play the best action",
            ge=0,
            not_with="selection=gumbel",
        ),
    ] = 8
    sampling_temperature: Annotated[
        float,
        Option(
            "temperature of the samples; 0 plays the best action", ge=0, not_with="selection=gumbel,sampled_plies=0"
        ),
    ] = 1.0

    games: Annotated[int, Option("games of self-play per iteration", ge=1)] = 512
    lanes: Annotated[int, Option("games that each thread or worker plays at the same time", ge=1)] = 128
    max_plies: Annotated[int, Option("plies after which a game of self-play is a draw", ge=1)] = 100
    random_plies: Annotated[
        int,
        Option(
            "maximum number of random plies at the start of a game of self-play, fewer if random games end earlier",
            ge=0,
        ),
    ] = 0
    discount: Annotated[float, Option("discount factor of the result of a game per ply before its end", ge=0, le=1)] = (
        1.0
    )
    value_mix: Annotated[
        float,
        Option(
            "weight of the search value in the value target; the result of the game has the remaining weight",
            ge=0,
            le=1,
        ),
    ] = 0.5

    exact: Annotated[
        str | None,
        Option(
            "source of exact values, named as in the option exact of the agent; where it knows the value of a position,"
            " this value is the target, and replaces the result of the game in earlier positions; where it knows those"
            " of all actions too, the target of the policy has only the actions that keep the value"
        ),
    ] = None
    exact_iterations: Annotated[
        int,
        Option(
            "number of first iterations that learn from positions of random play, with the targets of the source exact,"
            " instead of self-play",
            ge=0,
            not_with="exact=none",
        ),
    ] = 0
    exact_positions: Annotated[
        int,
        Option(
            "positions of random play in each of the first exact_iterations iterations",
            ge=1,
            not_with="exact_iterations=0",
        ),
    ] = 5_000

    capacity: Annotated[int, Option("maximum number of positions in the replay buffer", ge=1)] = 200_000
    kept: Annotated[
        float,
        Option("fraction of a full replay buffer that is kept, at random; 0 replaces the oldest positions", ge=0, le=1),
    ] = 0.0
    symmetries: Annotated[bool, Option("learn from random symmetries of the positions")] = True
    reuse: Annotated[
        float, Option("average number of times that each position is learned from", gt=0, not_with="batch=none")
    ] = 4.0
    batch: Annotated[
        int | None,
        Option(
            "positions per step of gradient descent; none takes one step per iteration, on the sum of the losses of "
            "all its"
            " positions",
            ge=1,
        ),
    ] = 256
    value_loss: Annotated[
        str,
        Option(
            "loss of the value; cross_entropy is that of the share of the points, (1 + value) / 2", choices=VALUE_LOSSES
        ),
    ] = CROSS_ENTROPY
    optimizer: Annotated[
        str, Option("optimizer of the matrices in the body of the network; the rest has AdamW", choices=OPTIMIZERS)
    ] = MUON
    learning_rate: Annotated[float, Option("learning rate at the start", gt=0, le=1e6)] = 5e-3
    learning_rate_end_share: Annotated[
        float, Option("fraction of the learning rate at the end of its cosine schedule", ge=0, le=1)
    ] = 0.01
    learning_precision: Annotated[
        str,
        Option(
            "numbers of the network's layers while it learns; bfloat16 is faster where the processor multiplies such"
            " numbers, and slower elsewhere",
            choices=LEARNING_PRECISIONS,
        ),
    ] = FLOATS
    weight_decay: Annotated[
        float, Option("weight decay, which the optimizers multiply by the learning rate", ge=0, le=1)
    ] = 0.4

    gate: Annotated[float, Option("minimum score against the best network, from 0 to 1, to replace it", ge=0, le=1)] = (
        0.5
    )
    ladder: tuple[str, ...] = ("random", "minimax:depth=1", "minimax:depth=3")
    ladder_games: Annotated[int, Option("games against each opponent, and against the best network", ge=2)] = 100
    ladder_random_plies: int = 2
    ladder_simulations: Annotated[int, Option("simulations per action on the ladder", ge=1, le=MAX_SIMULATIONS)] = 50
    ladder_selection: Annotated[str, Option("selection rule of the search on the ladder", choices=SELECTIONS)] = "puct"
    ladder_exploration: Annotated[float, Option("exploration constant of the search on the ladder", gt=0)] = 1.5
    ladder_lookahead: Annotated[
        int,
        Option(
            "plies within which a leaf is searched for a forced result on the ladder; 1 measures the network alone",
            ge=1,
            le=MAX_LOOKAHEAD,
        ),
    ] = 1
    ladder_temperature: Annotated[
        float, Option("temperature with which actions are sampled on the ladder; 0 plays the best action", ge=0)
    ] = 0.0
    measurements: int = 20

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
            exact=self.exact,
            keeps_trees=self.keep_tree,
            integers=self.precision == INTEGERS,
        )
