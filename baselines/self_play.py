"""Self-play: opponents inside the environment, some of them past selves of the learning agent."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.policies import BasePolicy
from typing_extensions import override

from ci_envs.baselines.agent import SB3Agent
from ci_envs.baselines.config import POOL, SB3Config
from ci_envs.baselines.policies import PolicyArchitecture
from ci_envs.baselines.vec_env import BoardsVecEnv
from ci_envs.envs.vector import VectorBoardEnv
from ci_envs.games.game import Game

Weights = Mapping[str, torch.Tensor]
"""A state dictionary."""


class Pool:
    """Past selves of the learning agent.

    Attributes:
        weights: their state dictionaries, the oldest first.
        next_entry: the number of training steps at which the agent enters the pool next.
    """

    def __init__(
        self,
        game: Game,
        network: PolicyArchitecture,
        *,
        size: int,
        latest_share: float,
        lookahead: int = 0,
        seed: int | None = None,
    ) -> None:
        """Make an empty pool.

        Args:
            game: the game to learn.
            network: the description of the policies.
            size: maximum number of past selves.
            latest_share: the probability that the latest past self is drawn. Otherwise all are equally likely.
            lookahead: plies of the look-ahead with which the past selves play.
            seed: the seed of the random numbers.
        """
        self.game = game
        self.network = network
        self.weights: list[Weights] = []
        self.next_entry = 0
        self._size, self._latest_share, self._lookahead = size, latest_share, lookahead
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Restart the random numbers."""
        self._rng = np.random.default_rng(seed)

    def add(self, policy: BasePolicy) -> None:
        """Add a copy of the weights of a policy. A full pool removes a random past self first."""
        if len(self.weights) == self._size:
            del self.weights[self._rng.integers(self._size)]
        self.weights.append(copy_of_weights(policy))

    def draw(self) -> SB3Agent:
        """Return a past self that samples its actions, as it did in training."""
        latest = self._rng.random() < self._latest_share
        policy = self.network.new_policy(self.game)
        policy.load_state_dict(self.weights[-1 if latest else self._rng.integers(len(self.weights))])
        seed = int(self._rng.integers(2**63))
        return SB3Agent(self.game, policy, deterministic=False, lookahead=self._lookahead, seed=seed)


def copy_of_weights(policy: BasePolicy) -> Weights:
    """Return a copy of the state dictionary of a policy."""
    return {name: tensor.detach().clone() for name, tensor in policy.state_dict().items()}


def self_play_env(game: Game, config: SB3Config, max_cycles: int | None = None) -> BoardsVecEnv:
    """Make the boards of a training run: ``config.boards`` for each opponent.

    Args:
        game: the game to learn.
        config: the options. The opponent ``pool`` is the random agent until a past self is drawn.
        max_cycles: plies after which a game is truncated. None is the game's own limit.

    Raises:
        ValueError: an opponent cannot be made.
    """
    groups = [
        VectorBoardEnv(
            game,
            config.boards,
            opponent="random" if opponent == POOL else opponent,
            autoreset_mode="SameStep",
            max_cycles=max_cycles,
            openings=config.openings,
        )
        for opponent in config.opponents
    ]
    return BoardsVecEnv(*groups, draw_reward=config.draw_reward, lookahead=config.training_lookahead)


class SelfPlayCallback(BaseCallback):
    """Callback that adds the agent to the pool and draws new opponents, between rollouts, every ``interval`` steps."""

    model: BaseAlgorithm

    def __init__(self, env: BoardsVecEnv, opponents: Sequence[str], pool: Pool, interval: int) -> None:
        """Prepare the callback.

        Args:
            env: an environment with a group of boards for each opponent.
            opponents: spec strings, or ``pool`` for the groups whose opponents are drawn.
            pool: the past selves.
            interval: number of steps between additions.
        """
        super().__init__()
        self._groups = [group for group, name in zip(env.groups, opponents, strict=True) if name == POOL]
        self._pool = pool
        self._interval = interval

    @override
    def _on_training_start(self) -> None:
        if self._pool.weights:  # a resumed run
            self._draw()

    @override
    def _on_step(self) -> bool:
        return True

    @override
    def _on_rollout_start(self) -> None:
        if self.num_timesteps < self._pool.next_entry:
            return
        self._pool.next_entry = self.num_timesteps + self._interval
        self._pool.add(self.model.policy)
        self._draw()

    def _draw(self) -> None:
        for group in self._groups:
            group.opponent = self._pool.draw()
