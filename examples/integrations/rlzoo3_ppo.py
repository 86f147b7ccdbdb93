"""RL Baselines3 Zoo: the training script of the zoo trains PPO with our hyperparameters in YAML.

Run it with ``make integration-rlzoo3``. It takes half a minute. The zoo has no MaskablePPO. PPO learns which actions
are legal, because an illegal action loses the game. In the evaluation, the most probable legal action is played.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from exam import examine
from numpy.typing import NDArray
from stable_baselines3 import PPO
from torch.distributions import Categorical

from ci_envs import baselines
from ci_envs.agents import Observation

HYPERPARAMETERS = Path(baselines.__file__).parent / "rl_zoo3" / "ppo.yml"
STEPS = 300_000


def train(folder: str) -> PPO:
    """Run the training script of the zoo, and load the saved model."""
    command = "-m rl_zoo3.train --algo ppo --env ci_envs/TicTacToe-v0 --gym-packages ci_envs --seed 0"
    options = [
        "--conf-file",
        HYPERPARAMETERS,
        "-n",
        STEPS,
        "--eval-freq",
        -1,
        "--num-threads",
        1,
        "--log-folder",
        folder,
    ]
    subprocess.run([sys.executable, *command.split(), *map(str, options)], check=True)
    [model] = Path(folder).rglob("*.zip")
    return PPO.load(model, device="cpu")


with tempfile.TemporaryDirectory() as folder:
    model = train(folder)


def policy(observations: Observation) -> NDArray[np.int64]:
    """Return the most probable legal action on each of n boards."""
    with torch.no_grad():
        planes, _ = model.policy.obs_to_tensor(observations["observation"])
        distribution = model.policy.get_distribution(planes).distribution
    assert isinstance(distribution, Categorical)
    return np.where(observations["action_mask"], distribution.probs.numpy(), -1).argmax(axis=1)


examine(policy)
