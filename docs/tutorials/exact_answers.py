# %% [markdown]
# # Exact answers and analysis
#
# Many games of the suite are solved: for each position the solver knows the winner under optimal play and the number of plies
# to the end. This tutorial reads these values, compares agents with them, and shows the analysis of a search.

# %%
import rich

from ci_envs import ConnectFour, Position, Quixo, make_agent, show, solve
from ci_envs.arena import compare, tables

# %% [markdown]
# ## Solve a game
#
# `solve` returns a solution with the values of all positions. A value is 1 for a win of the player to move, 0 for a draw and
# -1 for a loss.

# %%
solution = solve(Quixo(size=3))
start = Position.start(Quixo(size=3))
solution.value(start), solution.distance(start)

# %% [markdown]
# The player to move wins in 7 plies. These actions keep the win:

# %%
[start.action_name(action) for action in solution.value_actions(start)]

# %% [markdown]
# A search with an opening book solves Connect Four. Only the middle column wins for the first player:

# %%
start = Position.start(ConnectFour())
values = {name: -solve(start.play(name)).value(start.play(name)) for name in "abcdefg"}
values

# %% [markdown]
# ## Measure agents
#
# In a solved game, a comparison also shows the share of actions that keep the exact value. A *critical* position is one in
# which at least one legal action loses value.

# %%
agents = ["random", "minimax:depth=3", "mcts:simulations=200", "exact"]
rich.print(tables(compare("Quixo-v0:size=3", agents, games=50, random_plies=2, seed=0)))

# %% [markdown]
# ## Analyse a position
#
# `analyse` returns the value of each action, the principal variation (the line of play that the agent expects), and the
# search tree.

# %%
position = Position.from_text(ConnectFour(), "......./......./......./......./...O.../..XXO.. X")
analysis = make_agent("mcts:simulations=2000", ConnectFour(), seed=0).analyse(position)
print("value:", round(analysis.value, 2))
print("principal variation:", " ".join(position.game.action_name(action) for action in analysis.principal_variation))

# %%
show(position, analysis)
