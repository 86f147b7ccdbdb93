"""RLlib: one policy learns by PPO with action masks, playing both sides of tic-tac-toe.

Run it with ``make integration-rllib``. It takes a minute. RLlib stores players in sets, whose order depends on the
process, so the result repeats exactly only if ``PYTHONHASHSEED`` is set.
"""

from typing import cast

import numpy as np
import torch
from exam import examine
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModule, RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune import register_env

import ci_envs
from ci_envs.agents import Observation

PLIES = 12_000
BATCH = 1_000


def rllib_observations(seen: Observation) -> dict[str, NDArray[np.float32]]:
    """Return the observations of one or n boards in the format of RLlib's masking module: flat, as floats."""
    mask = seen["action_mask"].astype(np.float32)
    return {"observations": seen["observation"].astype(np.float32).reshape(*mask.shape[:-1], -1), "action_mask": mask}


class ForRLlib(BaseWrapper):
    """An environment with observations in this format."""

    def __init__(self, env: AECEnv) -> None:
        super().__init__(env)
        env.reset()
        seen = self.observe(env.agent_selection)
        self.space = spaces.Dict({key: spaces.Box(0, 1, value.shape, np.float32) for key, value in seen.items()})

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the observation space, which is the same for both players."""
        return self.space

    def observe(self, agent: str) -> dict[str, NDArray[np.float32]]:
        """Return the observation of ``agent``."""
        return rllib_observations(cast(Observation, self.env.observe(agent)))


torch.set_num_threads(1)  # more threads are slower, because the network is small
register_env("tictactoe", lambda config: PettingZooEnv(ForRLlib(ci_envs.make("TicTacToe-v0"))))
module = RLModuleSpec(
    module_class=ActionMaskingTorchRLModule,
    model_config={"fcnet_hiddens": [128, 128], "head_fcnet_hiddens": []},
)
config = (
    PPOConfig()
    .environment("tictactoe")
    .multi_agent(policies={"both"}, policy_mapping_fn=lambda agent, episode, **kwargs: "both")
    .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"both": module}))
    .env_runners(num_env_runners=0)  # all games are played in this process
    .training(
        train_batch_size_per_learner=BATCH,
        minibatch_size=128,
        num_epochs=12,
        lr=3e-3,
        gamma=1.0,
        lambda_=0.9,
        entropy_coeff=0.02,
    )
    .debugging(seed=0)
)
algorithm = config.build_algo()
for _ in range(PLIES // BATCH):
    algorithm.train()
player = cast(RLModule, algorithm.get_module("both"))


def policy(observations: Observation) -> NDArray[np.int64]:
    """Return the most probable action on each of n boards."""
    boards = {key: torch.as_tensor(value) for key, value in rllib_observations(observations).items()}
    with torch.no_grad():
        return player.forward_inference({"obs": boards})["action_dist_inputs"].argmax(dim=-1).numpy()


examine(policy)
algorithm.stop()
