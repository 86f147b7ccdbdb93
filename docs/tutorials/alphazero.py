# %% [markdown]
# # AlphaZero
#
# AlphaZero learns from games that it plays against itself. This tutorial trains it on tic-tac-toe for a few iterations. For
# a strong agent, replace `iterations=8` by `minutes=5`. It needs the extra `alphazero`.

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
# The folder has the best network, a checkpoint and the learning curve. `ci-envs train alphazero TicTacToe-v0 --resume`
# continues from the checkpoint.

# %%
curve = read_curve(folder)
[round(rating) for rating in curve["rating"]]

# %% [markdown]
# The rating is in Elo above the random player. Now the network plays with a small search, next to the network of the package
# and perfect play:

# %%
mine = ("8 iterations", make_agent(f"{trained},simulations=16", TicTacToe()))
agents = ["random", mine, "alphazero:simulations=16", "exact"]
rich.print(tables(compare("TicTacToe-v0", agents, games=100, random_plies=2, seed=0)))

# %% [markdown]
# ## What the network thinks
#
# `analyse` shows the priors of the network and the visits of the search. Here the player to move must block:

# %%
position = Position.from_text(TicTacToe(), "XX./.O./... O")
analysis = make_agent(f"{trained},simulations=64", TicTacToe(), seed=0).analyse(position)
for action in position.legal_actions():
    print(position.action_name(action), f"prior {analysis.priors[action]:.2f}, visits {analysis.visits[action]}")
assert np.argmax(analysis.visits) == position.parse_action("c1")
