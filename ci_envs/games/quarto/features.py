"""The features of a position of Quarto, from which an evaluation is learned."""

from typing import Any

import numpy as np

from ci_envs.games.operations import (
    write_features,
)
from ci_envs.games.quarto.game import FEATURES, Quarto
from ci_envs.games.quarto.layout import LANE
from ci_envs.games.quarto.lines import completing_cells, safe_pieces, winning_cells
from ci_envs.kernels.bits import popcount
from ci_envs.kernels.dispatch import implements


@implements(write_features, Quarto)
def _(game: Quarto) -> Any:
    fours = np.array(game.fours(), dtype=np.uint64)
    four_count, half = len(fours), len(FEATURES)
    one = np.uint64(1)

    def kernel(game, own, opp, features):
        for i in range(2 * half):
            features[i] = 0
        holding = (opp >> np.uint64(36)) & one
        first = np.int64(0) if holding else np.int64(half)
        features[first] = 1
        for i in range(four_count):
            filled = opp & fours[np.uint64(i)]
            pieces = popcount(filled)
            if pieces == np.uint64(0) or pieces == np.uint64(4):
                continue
            alike = 0
            for attribute in range(4):
                having = (own >> np.uint64(16 * attribute)) & filled
                alike += (having == filled) + (having == np.uint64(0))
            features[first + np.int64(pieces)] += alike / 4
        having, lacking = completing_cells(game, own, opp)
        left = (~opp >> np.uint64(16)) & LANE
        pieces, safe = popcount(left), popcount(safe_pieces(having, lacking, left))
        features[first + 4], features[first + 5] = np.float64(safe) / 16, safe & one
        features[first + 6], features[first + 7] = np.float64(pieces) / 16, pieces & one
        if holding:
            in_hand = (opp >> np.uint64(32)) & np.uint64(15)
            features[first + 8] = winning_cells(having, lacking, in_hand) != np.uint64(0)
        else:
            features[first + 8] = safe == np.uint64(0)

    return kernel
