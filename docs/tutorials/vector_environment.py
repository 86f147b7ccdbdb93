# %% [markdown]
# # The vector environment at full speed
#
# `make_vec` makes an environment with many boards. One compiled call steps all boards, with the actions of the opponents, the
# masks and the resets.

# %%
from time import perf_counter

import numpy as np

from ci_envs import make_vec

# %%
envs = make_vec("Quixo-v0", 1024, opponent="random", autoreset_mode="SameStep")
planes, info = envs.reset(seed=0)
planes.shape, info["action_mask"].shape

# %% [markdown]
# Board i plays the same games as a single environment with the seed `0 + i`. With `SameStep`, the end of a game resets its
# board in the same step, and the last observation is in `info["final_obs"]`.

# %%
envs.action_space.seed(0)
rewards_of_games = []
steps, start = 200, perf_counter()
for _ in range(steps):
    actions = envs.action_space.sample(info["action_mask"])
    planes, rewards, terminated, truncated, info = envs.step(actions)
    rewards_of_games.extend(rewards[terminated | truncated])
seconds = perf_counter() - start
print(f"{steps * 1024 / seconds / 1e6:.1f} million steps a second, with the choice of actions")
print(f"{len(rewards_of_games)} games, mean reward {np.mean(rewards_of_games):+.3f}")

# %% [markdown]
# ## Both sides
#
# With `opponent=None` your code plays both sides. A step is one ply, and `info["to_move"]` is the player to move. The reward
# is the reward of the player who moved in this step.

# %%
envs = make_vec("ConnectFour-v0", 4096, opponent=None, autoreset_mode="SameStep", copy=False)
envs.action_space.seed(0)
planes, info = envs.reset(seed=0)
for _ in range(50):
    planes, rewards, terminated, truncated, info = envs.step(envs.action_space.sample(info["action_mask"]))
info["to_move"][:8]

# %% [markdown]
# | option | effect |
# |---|---|
# | `opponent` | an agent; compiled agents reply inside the compiled call, other agents in Python |
# | `copy=False` | each step reuses the arrays of the step before, which is faster |
# | `threads=4` | four threads step the boards |
# | `autoreset_mode` | `"NextStep"` (Gymnasium's default), `"SameStep"` or `"Disabled"` |
#
# Gymnasium makes the same environment:
# `gymnasium.make_vec("ci_envs/Quixo-v0", 1024, "vector_entry_point", opponent="random")`.
