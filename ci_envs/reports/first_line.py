"""The line test of reports A, C and D: the owner of the first complete line wins.

The test differs from the rules of Quixo only if one move completes lines of both players.
"""

from typing import Any

import numpy as np

from ci_envs.games.grid import GridGame, has_line, lines_of
from ci_envs.kernels.dispatch import implements, operation


@operation
def first_line(game: Any, own: Any, opp: Any) -> Any:
    """Return 1 if the first complete line is of ``own``, -1 if it is of ``opp``, 0 if no line is complete.

    The order of the lines is: rows from the top, columns from the left, the diagonals.
    """


@implements(first_line, GridGame)
def _(game: GridGame) -> Any:
    lines = np.array(lines_of(*game.shape), dtype=np.uint64)
    count = len(lines)

    def kernel(game: Any, own: Any, opp: Any) -> Any:
        mine, theirs = has_line(game, own), has_line(game, opp)
        if mine and theirs:
            for k in range(count):
                line = lines[np.uint64(k)]
                if own & line == line:
                    return 1
                if opp & line == line:
                    return -1
        return np.int64(mine) - np.int64(theirs)

    return kernel
