"""Self-play: opponents inside the environment, some of them past selves of the learning agent."""

from collections.abc import Mapping

import numpy as np
import torch
from stable_baselines3.common.policies import BasePolicy

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
        rng: the random number generator of the draws.
    """

    def __init__(
        self, game: Game, network: PolicyArchitecture, *, size: int, latest_share: float, seed: int | None = None
    ) -> None:
        """Make an empty pool.

        Args:
            game: the game to learn.
            network: the description of the policies.
            size: maximum number of past selves.
            latest_share: the probability that the latest past self is drawn. Otherwise all are equally likely.
            seed: the seed of the random numbers.
        """
        self.game = game
        self.network = network
        self.weights: list[Weights] = []
        self.next_entry = 0
        self._size, self._latest_share = size, latest_share
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Restart the random numbers."""
        self.rng = np.random.default_rng(seed)

    def add(self, policy: BasePolicy) -> None:
        """Add a copy of the weights of a policy. A full pool removes a random past self first."""
        if len(self.weights) == self._size:
            del self.weights[self.rng.integers(self._size)]
        self.weights.append(copy_of_weights(policy))

    def draw(self) -> SB3Agent:
        """Return a past self that samples its actions, as it did in training."""
        latest = self.rng.random() < self._latest_share
        policy = self.network.new_policy(self.game)
        policy.load_state_dict(self.weights[-1 if latest else self.rng.integers(len(self.weights))])
        return SB3Agent(self.game, policy, deterministic=False, seed=int(self.rng.integers(2**63)))


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
    return BoardsVecEnv(*groups, draw_reward=config.draw_reward)
