# %% [markdown]
# # Your own game
#
# A game is a dataclass and three compiled functions. This tutorial adds Notakto: the players take turns to mark a free cell of a
# square board, and the player who completes a row, a column or a diagonal of marks loses, no matter who made the other marks. The
# file can be in any folder; `ci_envs` does not change.

# %%
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import rich

from ci_envs import Position, check_game, make, register, solve
from ci_envs.arena import compare, tables
from ci_envs.games import (
    ONGOING,
    WIN,
    BoardGame,
    cell_maps,
    cell_name,
    implements,
    legal,
    play,
    result,
    transform_action,
)

ONE = np.uint64(1)


# %% [markdown]
# A position is two 64-bit words: `own` contains the marks of the player to move, and `opp` contains the marks of the opponent.
# The fields of the dataclass are the parameters of the environment. `BoardGame` provides the empty board, observations, texts and
# pictures.


# %%
@dataclass(frozen=True)
class Notakto(BoardGame):
    """Mark cells in turn; the player who completes a row, a column or a diagonal of marks loses."""

    size: int = 4

    last_player_loses: ClassVar[bool] = True

    @property
    def shape(self):
        """The size of the board."""
        return self.size, self.size

    @property
    def action_count(self):
        """One action for each cell."""
        return self.size**2

    def action_name(self, action):
        """Return the name of the cell, for example ``b3``."""
        return cell_name(action, self.size)

    def cell_maps(self):
        """Return the 8 symmetries of a square."""
        return cell_maps(self.size, self.size)


# %% [markdown]
# The rules are three functions: whether an action is legal, the position after an action, and the result for the player to
# move. `play` swaps the words, because the other player moves next.
#
# Python calls the outer function once for each set of parameters. It can compute tables, here the masks of the lines. Numba
# compiles the inner function.


# %%
@implements(legal, Notakto)
def _(game):
    return lambda game, own, opp, action: ((own | opp) >> action) & ONE == np.uint64(0)


@implements(play, Notakto)
def _(game):
    return lambda game, own, opp, action: (opp, own | (ONE << action))


@implements(result, Notakto)
def _(game):
    cells = np.arange(game.size**2).reshape(game.size, game.size)
    rows = [*cells, *cells.T, cells.diagonal(), cells[::-1].diagonal()]
    lines = np.array([sum(1 << int(cell) for cell in row) for row in rows], dtype=np.uint64)

    def kernel(game, own, opp):
        for line in lines:
            if (own | opp) & line == line:
                return WIN  # the opponent has just completed the line
        return ONGOING

    return kernel


# %% [markdown]
# The board has symmetries, so one more function says which action is the image of an action. Learners and solvers use it.


# %%
@implements(transform_action, Notakto)
def _(game):
    maps = cell_maps(game.size, game.size)
    return lambda game, symmetry, action: maps[symmetry, action]


# %% [markdown]
# `check_game` plays random games and checks that the functions are consistent. Otherwise it raises an error with an example.

# %%
check_game(Notakto())
register("Notakto-v0", Notakto)

# %% [markdown]
# The game now has environments, agents and exact solutions. On 3 x 3 the first player wins, but only with one first move, the
# centre:

# %%
env = make("Notakto-v0:size=3")
env.reset()
start = Position.start(env.game)
solution = solve(start.game)
print("value:", solution.value(start), "by", [env.game.action_name(action) for action in solution.value_actions(start)])
assert solution.value_actions(start) == (4,)

# %% [markdown]
# The game is solved, so a comparison also shows which share of the decisions keeps the exact value:

# %%
rich.print(
    tables(compare("Notakto-v0", ["random", "mcts:simulations=100", "minimax:depth=4"], games=20, random_plies=3))
)

# %% [markdown]
# [From nothing to a strong agent](../paths/own_game.md) trains an agent for this game. [Adding a game](../adding_a_game.md) explains
# a game without a board of cells, and all further functions, for example an evaluation for minimax.
