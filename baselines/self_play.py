"""Self-play: opponents inside the environment, some of them past selves of the agent that learns."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.policies import BasePolicy

from ci_envs.baselines.agent import SB3Agent
from ci_envs.baselines.hyperparameters import POOL
from ci_envs.baselines.policies import PolicyArchitecture
from ci_envs.baselines.vec_env import BoardsVecEnv
from ci_envs.envs.vector import VectorBoardEnv
from ci_envs.games.game import Game

Weights = Mapping[str, torch.Tensor]

LATEST_SHARE = 0.5
"""How often the newest of the pool is the opponent; else any is, each as likely."""


class Pool:
    """Past selves of an agent: every so often its weights are added, and those in the middle make room.

    Attributes:
        weights: the state dictionaries, the oldest first.
    """

    def __init__(self, game: Game, network: PolicyArchitecture, *, size: int = 20, seed: int | None = None) -> None:
        self.game = game
        self.network = network
        self.weights: list[Weights] = []
        self._size = size
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Start the random numbers of drawing and dropping anew."""
        self._rng = np.random.default_rng(seed)

    def add(self, policy: BasePolicy) -> None:
        """Keep a copy of the weights of ``policy``; of a full pool a random one is dropped first."""
        if len(self.weights) == self._size:
            del self.weights[self._rng.integers(self._size)]
        self.weights.append({name: tensor.detach().clone() for name, tensor in policy.state_dict().items()})

    def draw(self) -> SB3Agent:
        """One of them, which plays as it did in training."""
        latest = self._rng.random() < LATEST_SHARE
        policy = self.network.new_policy(self.game)
        policy.load_state_dict(self.weights[-1 if latest else self._rng.integers(len(self.weights))])
        return SB3Agent(self.game, policy, deterministic=False, seed=int(self._rng.integers(2**63)))


def self_play_env(game: Game, opponents: Sequence[str], boards: int, max_cycles: int | None = None) -> BoardsVecEnv:
    """The boards of a training run, ``boards`` against each opponent; until one of the pool is drawn it is random."""
    groups = [
        VectorBoardEnv(
            game,
            boards,
            opponent="random" if opponent == POOL else opponent,
            autoreset_mode="SameStep",
            max_cycles=max_cycles,
        )
        for opponent in opponents
    ]
    return BoardsVecEnv(*groups)


class SelfPlayCallback(BaseCallback):
    """Adds the agent to the pool and draws new opponents from it, every ``interval`` steps."""

    def __init__(self, env: BoardsVecEnv, opponents: Sequence[str], pool: Pool, interval: int) -> None:
        super().__init__()
        self._groups = [group for group, name in zip(env.groups, opponents, strict=True) if name == POOL]
        self._pool = pool
        self._interval = interval
        self._next = 0

    def _on_training_start(self) -> None:
        if self._pool.weights:  # the run goes on: the agent is among them, or was interrupted before its turn
            self._next = self.num_timesteps + self._interval
            self._draw()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        if self.num_timesteps < self._next:
            return
        self._next = self.num_timesteps + self._interval
        self._pool.add(self.model.policy)
        self._draw()

    def _draw(self) -> None:
        for group in self._groups:
            group.opponent = self._pool.draw()
