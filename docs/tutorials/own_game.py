# %% [markdown]
# # Your own game
#
# A game is a dataclass and five compiled functions. This tutorial adds a small game: the players take turns to mark a free
# cell of a board, and the player who marks the last cell wins. The file can be in any folder; `ci_envs` does not change.

# %%
from dataclasses import dataclass

import numpy as np
import rich

from ci_envs import Position, check_game, make, register, solve
from ci_envs.arena import compare, tables
from ci_envs.games import LOSS, ONGOING, Game, decode, implements, legal, observe, play, result

ONE = np.uint64(1)


# %% [markdown]
# A position is two 64-bit words: `own` contains the marks of the player to move, and `opp` contains the marks of the opponent.
# The fields of the dataclass are the parameters of the environment.


# %%
@dataclass(frozen=True)
class MarkLast(Game):
    """Mark cells in turn; the player who marks the last cell wins."""

    rows: int = 2
    cols: int = 4

    @property
    def action_count(self):
        """One action for each cell."""
        return self.rows * self.cols

    @property
    def observation_shape(self):
        """One plane for each player."""
        return self.rows, self.cols, 2

    def start(self):
        """Return the words of an empty board."""
        return 0, 0


# %% [markdown]
# The rules are three functions: whether an action is legal, the position after an action, and the result for the player to
# move. `play` swaps the words, because the other player moves next.


# %%
@implements(legal, MarkLast)
def _(game):
    return lambda game, own, opp, action: ((own | opp) >> action) & ONE == np.uint64(0)


@implements(play, MarkLast)
def _(game):
    return lambda game, own, opp, action: (opp, own | (ONE << action))


@implements(result, MarkLast)
def _(game):
    full = np.uint64((1 << game.action_count) - 1)
    return lambda game, own, opp: LOSS if own | opp == full else ONGOING


# %% [markdown]
# Two functions convert a position to the planes of an observation, and convert the planes back to a position.


# %%
@implements(observe, MarkLast)
def _(game):
    cols, cells = game.cols, game.action_count

    def kernel(game, own, opp, planes):
        for cell in range(cells):
            planes[cell // cols, cell % cols, 0] = (own >> np.uint64(cell)) & ONE
            planes[cell // cols, cell % cols, 1] = (opp >> np.uint64(cell)) & ONE

    return kernel


@implements(decode, MarkLast)
def _(game):
    cols, cells = game.cols, game.action_count

    def kernel(game, planes):
        own = opp = np.uint64(0)
        for cell in range(cells):
            own |= np.uint64(planes[cell // cols, cell % cols, 0]) << np.uint64(cell)
            opp |= np.uint64(planes[cell // cols, cell % cols, 1]) << np.uint64(cell)
        return own, opp

    return kernel


# %% [markdown]
# `check_game` plays random games and checks that the functions are consistent. Otherwise it raises an error with an example.

# %%
check_game(MarkLast())
register("MarkLast-v0", MarkLast)

# %% [markdown]
# The game now has environments, agents and exact solutions. With 6 cells the second player marks the last cell and wins:

# %%
env = make("MarkLast-v0")
env.reset()
start = Position.start(MarkLast(2, 3))
print("value of the start with 6 cells:", solve(start.game).value(start))
rich.print(tables(compare("MarkLast-v0:rows=1,cols=5", ["random", "mcts:simulations=50", "minimax:depth=2"], games=20)))

# %% [markdown]
# [Adding a game](../adding_a_game.md) explains a larger example, with symmetries, a text format, pictures and an evaluation
# for minimax.
