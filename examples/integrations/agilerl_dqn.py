"""Gymnasium and AgileRL: a deep Q-network learns tic-tac-toe against an opponent in the environment.

Run it with ``make integration-agilerl``. It takes half a minute.
"""

import gymnasium
import numpy as np
import torch
from agilerl.algorithms import DQN
from agilerl.components import ReplayBuffer
from agilerl.training.train_off_policy import train_off_policy
from exam import examine
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import FlattenObservation
from numpy.typing import NDArray

import ci_envs  # noqa: F401 - registers the environments
from ci_envs.agents import Observation

MOVES = 48_000

np.random.seed(0)  # noqa: NPY002 - AgileRL uses the global generator of NumPy
torch.manual_seed(0)
torch.set_num_threads(1)  # more threads are slower, because the network is small

envs = gymnasium.make_vec(
    "ci_envs/TicTacToe-v0",
    num_envs=16,
    vectorization_mode="sync",
    opponent="random",
    wrappers=[FlattenObservation],  # because AgileRL takes planes for an image
    # otherwise a step that only resets the board would be learnt as a move
    vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
)
envs.reset(seed=0)
learner = DQN(
    envs.single_observation_space,
    envs.single_action_space,
    net_config={"latent_dim": 128, "encoder_config": {"hidden_size": [128]}, "head_config": {"hidden_size": [128]}},
    batch_size=128,
    lr=1e-3,
    learn_step=8,
    gamma=0.97,
    tau=0.02,
)
# AgileRL reads the legal actions from info["action_mask"]
train_off_policy(
    envs,
    "TicTacToe-v0",
    "DQN",
    [learner],  # a population of one agent, which does not evolve
    ReplayBuffer(max_size=MOVES),
    max_steps=MOVES,
    evo_steps=MOVES,
    eps_start=1.0,
    eps_end=0.1,
    eps_decay=0.999,
    verbose=False,
)


def policy(observations: Observation) -> NDArray[np.int64]:
    """Return the action with the highest value on each of n boards."""
    planes, masks = observations["observation"], observations["action_mask"]
    return learner.get_action(planes.reshape(len(planes), -1), action_mask=masks)


examine(policy)
