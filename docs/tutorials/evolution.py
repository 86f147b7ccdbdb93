# %% [markdown]
# # Evolution
#
# Evolutionary algorithms train agents and solve optimisation problems. This tutorial shows both uses.

# %%
import tempfile
from pathlib import Path

import rich

from ci_envs import make_agent
from ci_envs.arena import compare, tables
from ci_envs.optimisation import BitString, optimise, set_covering
from ci_envs.training import train

folder = Path(tempfile.mkdtemp())

# %% [markdown]
# ## Weights of an evaluation
#
# A genome contains the weights of an evaluation function. The fitness of a genome is its score in games. Every operator and
# rate is an option. `ci-envs info evolution_strategy` lists the options.

# %%
weights = train("evolution_strategy", "TicTacToe-v0", generations=5, games=10, output=folder / "weights", seed=0)

# %% [markdown]
# ## Networks
#
# NEAT evolves the weights and the structure of networks:

# %%
network = train("neat", "TicTacToe-v0", generations=5, population=40, games=4, output=folder / "neat", seed=0)
evolved = [(name, make_agent(spec, "TicTacToe-v0")) for name, spec in (("weights", weights), ("network", network))]
rich.print(tables(compare("TicTacToe-v0", ["random", *evolved, "minimax:depth=2"], games=100, random_plies=2)))

# %% [markdown]
# ## Optimisation problems
#
# The set covering problem: choose sets with the least total cost, so that their union contains every element. The following
# cell compares a heuristic, a local search and an exact solver:

# %%
problem = set_covering(20)
for solver in ("greedy", "tabu", "branch_and_bound"):
    result = optimise(problem, solver, seconds=1, seed=0)
    print(f"{solver}: cost {result.value:g}{', optimal' if result.optimal else ''}")

# %% [markdown]
# The black-box problem: find the bit string with the greatest fitness, with few evaluations. The solver `linkage` learns the
# structure of the fitness function:

# %%
for solver in ("one_plus_one", "umda", "linkage"):
    box = BitString(problem=2, loci=100)
    result = optimise(box, solver, seconds=1, seed=0)
    print(f"{solver}: fitness {result.value:.3f}")
