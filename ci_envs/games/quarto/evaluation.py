"""The evaluation of a position of Quarto, for searches of limited depth."""

from typing import Any

import numpy as np

from ci_envs.games.operations import evaluate
from ci_envs.games.quarto.game import Quarto
from ci_envs.games.quarto.layout import HAND, HOLDING, LANE, USED
from ci_envs.games.quarto.lines import completing_cells, safe_pieces, winning_cells
from ci_envs.kernels.bits import popcount
from ci_envs.kernels.dispatch import implements

_DECIDED = 1000


@implements(evaluate, Quarto)
def _(game: Quarto) -> Any:
    # Safe pieces complete no line. If no action changes which pieces are safe, the players give them in turn, and the
    # player who has none left to give loses. So an odd number of safe pieces is good for the player who gives next, who
    # is the player to move. The fewer they are, the sooner the game is decided.
    def kernel(game, own, opp):
        having, lacking = completing_cells(game, own, opp)
        if opp >> np.uint64(HOLDING) and winning_cells(having, lacking, (opp >> np.uint64(HAND)) & np.uint64(15)):
            return _DECIDED
        safe = np.int64(popcount(safe_pieces(having, lacking, (~opp >> np.uint64(USED)) & LANE)))
        share = _DECIDED // (2 + safe)
        return share if safe % 2 else -share

    return kernel
