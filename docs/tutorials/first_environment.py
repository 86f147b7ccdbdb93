# %% [markdown]
# # First environment
#
# Every game is a [PettingZoo](https://pettingzoo.farama.org) environment with two agents that act in turn (AEC), and a
# [Gymnasium](https://gymnasium.farama.org) environment with one agent. This tutorial plays tic-tac-toe in both environments.

# %%
import gymnasium
import numpy as np

from ci_envs import Position, TicTacToe, make, make_agent

# %% [markdown]
# ## Two agents: PettingZoo
#
# `make` returns an environment. Parameters are keyword arguments, `make("Quixo-v0", size=4)`, or part of the id,
# `make("Quixo-v0:size=4")`.

# %%
env = make("TicTacToe-v0")
env.reset(seed=0)
observation = env.observe("player_0")
observation["observation"].shape, observation["action_mask"]

# %% [markdown]
# The observation has two planes: the stones of the observing player and the stones of the opponent. The mask has a 1 for
# each legal action. The action space can sample a legal action:

# %%
env.action_space("player_0").seed(0)
action = env.action_space("player_0").sample(observation["action_mask"])
env.step(action)
env.position

# %% [markdown]
# `env.position` is the current position. A notebook shows it as a picture. The following loop plays a game to its end.
# Minimax plays first, and the second player plays at random:

# %%
minimax = make_agent("minimax:depth=4", env, seed=0)
env.reset(seed=0)
for agent in env.agent_iter():
    observation, reward, terminated, truncated, info = env.last()
    if terminated or truncated:
        print(agent, "gets", reward)
        action = None
    elif agent == "player_0":
        action = minimax.act(observation)
    else:
        action = env.action_space(agent).sample(observation["action_mask"])
    env.step(action)
print(env.position.diagram())

# %% [markdown]
# ## One agent: Gymnasium
#
# In the Gymnasium environment the opponent is part of the environment. The observation is the array of planes, and the mask is
# in `info`.

# %%
env = gymnasium.make("ci_envs/TicTacToe-v0", opponent="minimax:depth=2")
planes, info = env.reset(seed=0)
rng = np.random.default_rng(0)
total, terminated, truncated = 0.0, False, False
while not (terminated or truncated):
    action = rng.choice(np.flatnonzero(info["action_mask"]))
    planes, reward, terminated, truncated, info = env.step(action)
    total += reward
print("return:", total)

# %% [markdown]
# Each reset chooses the seat of the learner at random. `seat=0` or `seat=1` fixes the seat.
#
# ## Positions without an environment
#
# A `Position` is immutable: `play` returns a new position. Every action has a name.

# %%
position = Position.start(TicTacToe()).play("b2").play("a1")
print(position.diagram())
[position.action_name(action) for action in position.legal_actions()]
