"""The options of training with Stable-Baselines3, and the presets of its algorithms."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from ci_envs.games.game import Game
from ci_envs.training.checks import (
    POSITIVE,
    PROBABILITY,
    AgentSpecs,
    Check,
    Choice,
    Integer,
    Integers,
    Number,
    OrNone,
    Text,
)
from ci_envs.training.config import OpeningOptions, TrainingConfig, option, with_default

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


def _argument(name: str, help: str, check: Check) -> Any:
    """Return an option for an argument of some of the algorithms, whose default is the preset."""
    algorithms = ", ".join(algorithm for algorithm, arguments in PRESETS.items() if name in arguments)
    return option(f"{help} ({algorithms}); none is the preset", OrNone(check), None)


@dataclass(frozen=True, kw_only=True)
class SB3Config(OpeningOptions, TrainingConfig):
    """The options of ``sb3``.

    The arguments of an algorithm have the same names as in Stable-Baselines3.

    Raises:
        ValueError: a value is not allowed, or the algorithm does not have the argument.
    """

    unnamed: ClassVar[str | None] = "algorithm"

    algorithm: str = option("algorithm of Stable-Baselines3", Choice(tuple(PRESETS)))
    steps: int = option(
        "training steps: actions of the agent on all boards; the run ends after the rollout that reaches them",
        Integer(1),
        300_000,
        changeable=True,
        is_length=True,
    )
    opponents: tuple[str, ...] = option(
        f"opponents, each on its own boards; '{POOL}' is a past self of the agent",
        AgentSpecs(),
        (POOL, POOL, "random", "minimax:depth=1"),
    )
    boards: int = option("number of boards per opponent", Integer(1), 32)
    pool_size: int = option("maximum number of past selves; a full pool replaces a random one", Integer(1), 20)
    pool_updates: int = option(
        "number of times that the agent enters the pool and new opponents are drawn", Integer(1), 50
    )
    pool_latest_share: float = option(
        "probability that an opponent from the pool is the latest past self; otherwise all are equally likely",
        PROBABILITY,
        0.5,
    )
    draw_reward: float | None = option(
        "reward of a training game that is drawn or reaches the limit of plies; none is 0, plus the estimated value of"
        " the last position at the limit",
        OrNone(Number(-1, 1)),
        None,
    )
    layers: tuple[int, ...] = option("widths of the hidden layers", Integers(1), (128, 128))
    activation: str = option("activation function of the hidden layers", Choice(("tanh", "relu")), "relu")
    initial_model: str | None = option(
        "file or name of a model with this algorithm, layers and activation to start from; none starts from random"
        " weights",
        OrNone(Text("the path of a model's file")),
        None,
        changeable=True,
    )
    threads: int = option("threads of PyTorch; one is fastest for small networks", Integer(1), 1, changeable=True)
    ladder: tuple[str, ...] = with_default(TrainingConfig, "ladder", ("random", "minimax:depth=1", "minimax:depth=2"))
    ladder_games: int = with_default(TrainingConfig, "ladder_games", 100)

    learning_rate: float | None = _argument("learning_rate", "learning rate", POSITIVE)
    gamma: float | None = _argument("gamma", "discount factor", PROBABILITY)
    max_grad_norm: float | None = _argument("max_grad_norm", "maximum norm of the gradient", POSITIVE)
    n_steps: int | None = _argument("n_steps", "steps of each board in a rollout", Integer(1))
    batch_size: int | None = _argument("batch_size", "samples in a minibatch", Integer(2))
    n_epochs: int | None = _argument("n_epochs", "passes over each rollout", Integer(1))
    gae_lambda: float | None = _argument("gae_lambda", "lambda of generalized advantage estimation", PROBABILITY)
    clip_range: float | None = _argument("clip_range", "clipping of the probability ratio", POSITIVE)
    ent_coef: float | None = _argument("ent_coef", "weight of the entropy bonus in the loss", Number(0))
    vf_coef: float | None = _argument("vf_coef", "weight of the value function in the loss", Number(0))
    buffer_size: int | None = _argument("buffer_size", "transitions in the replay buffer", Integer(1))
    train_freq: int | None = _argument("train_freq", "steps of each board between updates", Integer(1))
    gradient_steps: int | None = _argument("gradient_steps", "gradient steps in an update", Integer(1))
    learning_starts: int | None = _argument("learning_starts", "steps before the first update", Integer(0))
    target_update_interval: int | None = _argument(
        "target_update_interval", "steps between updates of the target network", Integer(1)
    )
    tau: float | None = _argument("tau", "fraction of the new weights in the target network", Number(0, 1, above=True))
    exploration_fraction: float | None = _argument(
        "exploration_fraction", "fraction of the run in which epsilon decreases", Number(0, 1, above=True)
    )
    exploration_initial_eps: float | None = _argument(
        "exploration_initial_eps", "initial epsilon, the probability of a random action", PROBABILITY
    )
    exploration_final_eps: float | None = _argument("exploration_final_eps", "final epsilon", PROBABILITY)

    def __post_init__(self) -> None:
        super().__post_init__()
        known = PRESETS[self.algorithm]
        for name in dict.fromkeys(name for arguments in PRESETS.values() for name in arguments):
            value = getattr(self, name)
            if value is not None and name not in known:
                raise ValueError(f"{name}={value} is not an option of {self.algorithm}. Options: {', '.join(known)}")
        if "batch_size" in known and self.n_steps == self.boards == len(self.opponents) == 1:
            raise ValueError(f"n_steps=1 needs boards=2 or more for {self.algorithm}: a rollout has at least two steps")

    def resolved(self, game: Game) -> Self:
        """Return the options with the presets of a game in place of all arguments of the algorithm that are None."""
        presets = {**PRESETS[self.algorithm], **game.training_presets().get(self.algorithm, {})}
        return replace(self, **{name: value for name, value in presets.items() if getattr(self, name) is None})

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of the algorithm by name, without the network. Unresolved presets are None."""
        return {name: getattr(self, name) for name in PRESETS[self.algorithm]}
