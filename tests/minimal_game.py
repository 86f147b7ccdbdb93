"""A minimal game: sizes, initial position and the five operations without a default.

Players mark free cells of a small board in turn. The player who marks the last cell wins.
"""

from dataclasses import dataclass

import numpy as np

from ci_envs.games import LOSS, ONGOING, Game, decode, implements, legal, observe, play, result

ONE = np.uint64(1)


@dataclass(frozen=True)
class LastCell(Game):
    """Mark the last free cell."""

    rows: int = 2
    cols: int = 4

    @property
    def action_count(self):
        return self.rows * self.cols

    @property
    def observation_shape(self):
        return self.rows, self.cols, 2

    def start(self):
        return 0, 0


@implements(legal, LastCell)
def _(game):
    return lambda game, own, opp, action: ((own | opp) >> action) & ONE == np.uint64(0)


@implements(play, LastCell)
def _(game):
    return lambda game, own, opp, action: (opp, own | (ONE << action))


@implements(result, LastCell)
def _(game):
    full = np.uint64((1 << game.action_count) - 1)
    return lambda game, own, opp: LOSS if own | opp == full else ONGOING


@implements(observe, LastCell)
def _(game):
    cols, cells = game.cols, game.action_count

    def kernel(game, own, opp, planes):
        for cell in range(cells):
            planes[cell // cols, cell % cols, 0] = (own >> np.uint64(cell)) & ONE
            planes[cell // cols, cell % cols, 1] = (opp >> np.uint64(cell)) & ONE

    return kernel


@implements(decode, LastCell)
def _(game):
    cols, cells = game.cols, game.action_count

    def kernel(game, planes):
        own = opp = np.uint64(0)
        for cell in range(cells):
            own |= np.uint64(planes[cell // cols, cell % cols, 0]) << np.uint64(cell)
            opp |= np.uint64(planes[cell // cols, cell % cols, 1]) << np.uint64(cell)
        return own, opp

    return kernel
