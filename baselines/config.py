"""The options of training with Stable-Baselines3, and the presets of its algorithms."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

from ci_envs.agents.search.lookahead import MAX_LOOKAHEAD
from ci_envs.games.game import Game
from ci_envs.registry.options import Option
from ci_envs.training.config import OpeningOptions, TrainingConfig
from ci_envs.training.presets import training_presets

POOL = "pool"
"""The value of ``opponents`` for past selves of the learning agent."""

_PPO = {
    "n_steps": 64,
    "batch_size": 2048,
    "n_epochs": 4,
    "learning_rate": 1e-3,
    "gamma": 0.99,
    "gae_lambda": 0.95,
    "clip_range": 0.2,
    "ent_coef": 0.01,
    "vf_coef": 0.5,
    "max_grad_norm": 0.5,
}
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "maskable_ppo": _PPO,
    "ppo": _PPO,
    "a2c": {
        "n_steps": 16,
        "learning_rate": 7e-4,
        "gamma": 0.99,
        "gae_lambda": 1.0,
        "ent_coef": 0.01,
        "vf_coef": 0.5,
        "max_grad_norm": 0.5,
    },
    "dqn": {
        "buffer_size": 200_000,
        "batch_size": 1024,
        "train_freq": 4,
        "gradient_steps": 2,
        "learning_starts": 20_000,
        "target_update_interval": 2_000,
        "tau": 1.0,
        "learning_rate": 5e-4,
        "gamma": 0.99,
        "max_grad_norm": 10.0,
        "exploration_fraction": 0.3,
        "exploration_initial_eps": 1.0,
        "exploration_final_eps": 0.05,
    },
}
"""The arguments of each algorithm, with their defaults for games that have no presets for the algorithm."""


def _argument(name: str, doc: str, **bounds: float) -> Option:
    """Return the option for an argument of some of the algorithms, whose default is the preset."""
    algorithms = [algorithm for algorithm, arguments in PRESETS.items() if name in arguments]
    only_with = "" if len(algorithms) == len(PRESETS) else f"algorithm={'|'.join(algorithms)}"
    return Option(f"{doc}; none is the preset", only_with=only_with, **bounds)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class SB3Config(OpeningOptions, TrainingConfig):
    """The options of ``sb3``.

    The arguments of an algorithm have the same names as in Stable-Baselines3.

    Raises:
        ValueError: a value is not allowed, or the algorithm does not have the argument.
    """

    unnamed: ClassVar[str | None] = "algorithm"

    algorithm: Annotated[str, Option("algorithm of Stable-Baselines3", choices=PRESETS)]
    steps: Annotated[
        int,
        Option(
            "training steps: actions of the agent on all boards; the run ends after the rollout that reaches them",
            ge=1,
            changeable=True,
            is_length=True,
        ),
    ] = 300_000
    opponents: Annotated[
        tuple[str, ...],
        Option(
            f"opponents, each on its own boards; '{POOL}' is a past self of the agent", allowed="agents joined by +"
        ),
    ] = (POOL, POOL, "random", "minimax:depth=1")
    boards: Annotated[int, Option("number of boards per opponent", ge=1)] = 32
    pool_size: Annotated[int, Option("maximum number of past selves; a full pool replaces a random one", ge=1)] = 20
    pool_updates: Annotated[
        int, Option("number of times that the agent enters the pool and new opponents are drawn", ge=1)
    ] = 50
    pool_latest_share: Annotated[
        float,
        Option(
            "probability that an opponent from the pool is the latest past self; otherwise all are equally likely",
            ge=0,
            le=1,
        ),
    ] = 0.5
    draw_reward: Annotated[
        float | None,
        Option(
            "reward of a training game that is drawn or reaches the limit of plies; none is 0, plus the estimated "
            "value of"
            " the last position at the limit",
            ge=-1,
            le=1,
        ),
    ] = None
    lookahead: Annotated[
        int,
        Option(
            "plies of the look-ahead with which the agent plays on the ladder, and later from its file",
            ge=0,
            le=MAX_LOOKAHEAD,
        ),
    ] = 0
    training_lookahead: Annotated[
        int,
        Option(
            "plies of the look-ahead with which the agent plays the training games",
            ge=0,
            le=MAX_LOOKAHEAD,
            only_with="algorithm=maskable_ppo",  # which has action masks
        ),
    ] = 0
    layers: Annotated[tuple[int, ...], Option("widths of the hidden layers", ge=1)] = (128, 128)
    activation: Annotated[str, Option("activation function of the hidden layers", choices=("tanh", "relu"))] = "relu"
    initial_model: Annotated[
        str | None,
        Option(
            "file or name of a model with this algorithm, layers and activation to start from; none starts from random"
            " weights",
            allowed="the path of a model's file",
            changeable=True,
        ),
    ] = None
    threads: Annotated[int, Option("threads of PyTorch; one is fastest for small networks", ge=1, changeable=True)] = 1
    ladder: tuple[str, ...] = ("random", "minimax:depth=1", "minimax:depth=2")
    ladder_games: int = 100

    learning_rate: Annotated[float | None, _argument("learning_rate", "learning rate", gt=0, le=1e6)] = None
    gamma: Annotated[float | None, _argument("gamma", "discount factor", ge=0, le=1)] = None
    max_grad_norm: Annotated[float | None, _argument("max_grad_norm", "maximum norm of the gradient", gt=0)] = None
    n_steps: Annotated[int | None, _argument("n_steps", "steps of each board in a rollout", ge=1)] = None
    batch_size: Annotated[int | None, _argument("batch_size", "samples in a minibatch", ge=2)] = None
    n_epochs: Annotated[int | None, _argument("n_epochs", "passes over each rollout", ge=1)] = None
    gae_lambda: Annotated[
        float | None, _argument("gae_lambda", "lambda of generalized advantage estimation", ge=0, le=1)
    ] = None
    clip_range: Annotated[float | None, _argument("clip_range", "clipping of the probability ratio", gt=0, le=1e6)] = (
        None
    )
    ent_coef: Annotated[
        float | None, _argument("ent_coef", "weight of the entropy bonus in the loss", ge=0, le=1e6)
    ] = None
    vf_coef: Annotated[float | None, _argument("vf_coef", "weight of the value function in the loss", ge=0, le=1e6)] = (
        None
    )
    buffer_size: Annotated[int | None, _argument("buffer_size", "transitions in the replay buffer", ge=1)] = None
    train_freq: Annotated[int | None, _argument("train_freq", "steps of each board between updates", ge=1)] = None
    gradient_steps: Annotated[int | None, _argument("gradient_steps", "gradient steps in an update", ge=1)] = None
    learning_starts: Annotated[int | None, _argument("learning_starts", "steps before the first update", ge=0)] = None
    target_update_interval: Annotated[
        int | None, _argument("target_update_interval", "steps between updates of the target network", ge=1)
    ] = None
    tau: Annotated[float | None, _argument("tau", "fraction of the new weights in the target network", gt=0, le=1)] = (
        None
    )
    exploration_fraction: Annotated[
        float | None, _argument("exploration_fraction", "fraction of the run in which epsilon decreases", gt=0, le=1)
    ] = None
    exploration_initial_eps: Annotated[
        float | None,
        _argument("exploration_initial_eps", "initial epsilon, the probability of a random action", ge=0, le=1),
    ] = None
    exploration_final_eps: Annotated[float | None, _argument("exploration_final_eps", "final epsilon", ge=0, le=1)] = (
        None
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if "batch_size" in PRESETS[self.algorithm] and self.n_steps == self.boards == len(self.opponents) == 1:
            raise ValueError(f"n_steps=1 needs boards=2 or more for {self.algorithm}: a rollout has at least two steps")

    def resolved(self, game: Game) -> Self:
        """Return the options with the presets of a game in place of all arguments of the algorithm that are None."""
        presets = {**PRESETS[self.algorithm], **training_presets(game).get(self.algorithm, {})}
        return replace(self, **{name: value for name, value in presets.items() if getattr(self, name) is None})

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the algorithm by name, without the network. Unresolved presets are None."""
        return {name: getattr(self, name) for name in PRESETS[self.algorithm]}
