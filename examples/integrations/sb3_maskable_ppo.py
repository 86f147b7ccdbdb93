"""Stable-Baselines3: MaskablePPO of SB3-contrib learns tic-tac-toe on 64 boards, which one compiled call steps.

Run it with ``make integration-sb3``. It takes a quarter of a minute. ``ci-envs train sb3`` trains by self-play.
"""

import numpy as np
import torch
from exam import examine
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

import ci_envs
from ci_envs.agents import Observation
from ci_envs.baselines import BoardsVecEnv

torch.set_num_threads(1)  # more threads are slower, because the network is small

boards = ci_envs.make_vec("TicTacToe-v0", 64, opponent="random", autoreset_mode="SameStep")
model = MaskablePPO("MlpPolicy", BoardsVecEnv(boards), n_steps=64, batch_size=512, learning_rate=1e-3, seed=0)
model.learn(100_000)  # MaskablePPO calls action_masks() of the boards


def policy(observations: Observation) -> NDArray[np.int64]:
    """Return the most probable action on each of n boards."""
    planes, masks = observations["observation"], observations["action_mask"]
    return model.predict(planes, action_masks=masks, deterministic=True)[0]


examine(policy)
