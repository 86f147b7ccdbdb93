"""Train MaskablePPO of Stable-Baselines3 on Quixo with your own script, and compare it with other agents.

The script uses only the API of Stable-Baselines3. It needs the extra ``sb3``. Run it with
``python examples/sb3_quixo.py``.
"""

import argparse

import rich
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

import ci_envs  # noqa: F401 - registers the environments
from ci_envs.arena import compare, tables


def main() -> None:
    """Train with the number of steps of the command line."""
    parser = argparse.ArgumentParser(description="Train MaskablePPO, and compare it with other agents.")
    parser.add_argument("--steps", type=int, default=100_000)
    steps = parser.parse_args().steps

    torch.set_num_threads(1)  # more threads are slower, because the network is small
    # the opponent is a part of the environment, and the agent plays from a random seat in each game
    envs = make_vec_env("ci_envs/Quixo-v0", n_envs=16, env_kwargs={"opponent": "random"})
    model = MaskablePPO("MlpPolicy", envs, n_steps=128, batch_size=512, ent_coef=0.01, seed=0, device="cpu")
    model.learn(steps)
    model.save("quixo_ppo.zip")
    rich.print(tables(compare("Quixo-v0", ["random", "minimax:depth=1", ("PPO", model)], games=100, random_plies=4)))


if __name__ == "__main__":
    main()
