"""The hyperparameters of training with Stable-Baselines3, by algorithm and game."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ci_envs.baselines.policies import Layers
from ci_envs.games.game import Game

POOL = "pool"
"""An opponent drawn from the past selves of the agent that learns."""


@dataclass(frozen=True)
class Hyperparameters:
    """Of one training run.

    Attributes:
        opponents: who plays the other seat, each on ``boards`` boards of its own: spec strings, or POOL.
        boards: how many for each opponent.
        ladder: the opponents of the evaluation.
        layers: widths of the hidden layers.
        activation: ``tanh`` or ``relu``.
        arguments: of Stable-Baselines3's algorithm.
    """

    opponents: tuple[str, ...] = (POOL, POOL, "random", "minimax:depth=1")
    boards: int = 32
    ladder: tuple[str, ...] = ("random", "minimax:depth=1", "minimax:depth=2")
    layers: Layers = field(default_factory=lambda: [128, 128])
    activation: str = "relu"
    arguments: Mapping[str, Any] = field(default_factory=dict)


_PPO = {
    "n_steps": 64,
    "batch_size": 2048,
    "n_epochs": 4,
    "learning_rate": 1e-3,
    "gamma": 0.99,
    "gae_lambda": 0.95,
    "ent_coef": 0.01,
}
_ALGORITHMS: Mapping[str, Mapping[str, Any]] = {
    "maskable_ppo": _PPO,
    "ppo": _PPO,
    "a2c": {"n_steps": 16, "learning_rate": 7e-4, "gamma": 0.99, "ent_coef": 0.01},
    "dqn": {
        "buffer_size": 200_000,
        "batch_size": 1024,
        "train_freq": 4,
        "gradient_steps": 2,
        "learning_starts": 20_000,
        "target_update_interval": 2_000,
        "learning_rate": 5e-4,
        "gamma": 0.99,
        "exploration_fraction": 0.3,
        "exploration_final_eps": 0.05,
    },
}


def hyperparameters(algorithm: str, game: Game) -> Hyperparameters:
    """Return the hyperparameters of an algorithm on a game, which :meth:`Game.training_presets` can change."""
    presets = game.training_presets()
    arguments = {**_ALGORITHMS[algorithm], **presets.get(algorithm, {})}
    return Hyperparameters(**presets.get("sb3", {}), arguments=arguments)
