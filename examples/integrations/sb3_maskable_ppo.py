"""Stable-Baselines3: MaskablePPO of SB3-contrib learns tic-tac-toe on 64 boards, stepped in one compiled call.

Run it with ``make integration-sb3``. It takes a quarter of a minute. ``ci-envs train`` does the same by self-play.
"""

import numpy as np
import torch
from exam import examine
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

import ci_envs
from ci_envs.agents import Observation
from ci_envs.baselines import BoardsVecEnv

torch.set_num_threads(1)  # the network is small: more threads are slower

boards = ci_envs.make_vec("TicTacToe-v0", 64, opponent="random", autoreset_mode="SameStep")
model = MaskablePPO("MlpPolicy", BoardsVecEnv(boards), n_steps=64, batch_size=512, learning_rate=1e-3, seed=0)
model.learn(100_000)  # it asks the boards for action_masks()


def policy(observations: Observation) -> NDArray[np.int64]:
    """The likeliest actions, on n boards at once."""
    planes, masks = observations["observation"], observations["action_mask"]
    return model.predict(planes, action_masks=masks, deterministic=True)[0]


examine(policy)
