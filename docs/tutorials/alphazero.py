# %% [markdown]
# # AlphaZero in five minutes
#
# AlphaZero learns from games that it plays against itself. This tutorial trains a network for tic-tac-toe in 8 iterations. For
# a strong agent, replace `iterations=8` with `minutes=5`. The tutorial needs the extra `alphazero`.

# %%
import tempfile
from pathlib import Path

import numpy as np
import rich

from ci_envs import Position, TicTacToe, make_agent
from ci_envs.arena import compare, tables
from ci_envs.training import train
from ci_envs.training.curves import read_curve

folder = Path(tempfile.mkdtemp())

# %%
trained = train("alphazero", "TicTacToe-v0", iterations=8, games=128, simulations=16, output=folder, seed=0)

# %% [markdown]
# The folder contains the best network, a checkpoint and the learning curve. `ci-envs train alphazero TicTacToe-v0 --resume`
# continues from the checkpoint.

# %%
curve = read_curve(folder)
[round(rating) for rating in curve["rating"]]

# %% [markdown]
# The rating is the difference in Elo from the random player. The comparison shows our network with a small search, the network
# of the package and optimal play:

# %%
mine = ("8 iterations", make_agent(f"{trained},simulations=16", TicTacToe()))
agents = ["random", mine, "alphazero:simulations=16", "exact"]
rich.print(tables(compare("TicTacToe-v0", agents, games=100, random_plies=2, seed=0)))

# %% [markdown]
# ## Analysis of a position
#
# `analyse` returns the prior probabilities of the network and the visit counts of the search. In this position the player to
# move must block at `c1`:

# %%
position = Position.from_text(TicTacToe(), "XX./.O./... O")
analysis = make_agent(f"{trained},simulations=64", TicTacToe(), seed=0).analyse(position)
for action in position.legal_actions():
    print(position.action_name(action), f"prior {analysis.priors[action]:.2f}, visits {analysis.visits[action]}")
assert np.argmax(analysis.visits) == position.parse_action("c1")
