# %% [markdown]
# # Train MaskablePPO
#
# This tutorial trains two policies of [Stable-Baselines3](https://stable-baselines3.readthedocs.io) on tic-tac-toe: one with
# our trainer, and one with your own script. Then it compares them with minimax. The tutorial needs the extra `sb3`.

# %%
import tempfile
from pathlib import Path

import gymnasium
import rich
import torch
from sb3_contrib import MaskablePPO

from ci_envs import make_agent
from ci_envs.arena import compare, tables
from ci_envs.baselines import save_model
from ci_envs.training import train

folder = Path(tempfile.mkdtemp())
torch.set_num_threads(1)  # small networks are fastest with one thread

# %% [markdown]
# ## With our trainer
#
# The opponents are inside the environment: past versions of the learner, the random player and minimax. One compiled call
# steps all boards. The command `ci-envs train sb3:maskable_ppo TicTacToe-v0 --steps 60000` does the same.

# %%
ours = train("sb3:maskable_ppo", "TicTacToe-v0", steps=60_000, output=folder / "run", seed=0)
sorted(path.name for path in (folder / "run").iterdir() if "tfevents" not in path.name)

# %% [markdown]
# ## With your own script
#
# MaskablePPO calls the method `action_masks()` of the environment. The rest of the script works with any Gymnasium
# environment.

# %%
env = gymnasium.make("ci_envs/TicTacToe-v0", opponent="random")
model = MaskablePPO("MlpPolicy", env, n_steps=512, batch_size=256, seed=0, device="cpu")
model.learn(4_096)
save_model(model, env.unwrapped.game, folder / "mine.safetensors")

# %% [markdown]
# ## Comparison
#
# `compare` plays a match between each pair of agents. Two random plies at the start of each game make the games different.
# The game is solved, so the last table also shows the share of actions that keep the exact value of the position.

# %%
trained = [
    ("our trainer", make_agent(ours, "TicTacToe-v0")),
    ("my script", make_agent(f"sb3:{folder / 'mine.safetensors'}", "TicTacToe-v0")),
]
comparison = compare("TicTacToe-v0", ["random", "minimax:depth=2", *trained], games=200, random_plies=2, seed=0)
rich.print(tables(comparison))
