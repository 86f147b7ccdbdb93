"""The lines of Quarto that one piece completes."""

from typing import Any

import numpy as np

from ci_envs.games.grid import line_steps
from ci_envs.games.operations import (
    WIN,
    may_end,
)
from ci_envs.games.quarto.game import Quarto
from ci_envs.games.quarto.layout import HAND, HAVING, HOLDING, LANE, LANES
from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.dispatch import implements, operation


@operation
def completing_cells(game: Any, own: Any, opp: Any) -> Any:
    """Return the empty cells where a piece completes a line by one attribute.

    Returns:
        Two words of four lanes of 16 bits. Lane ``i`` of the first word contains the cells where a piece with attribute
        ``i`` completes a line. Lane ``i`` of the second word contains the cells where a piece without it does.
    """


@implements(completing_cells, Quarto)
def _(game: Quarto) -> Any:
    steps, starts = line_steps(4, 4, 4)
    offsets = np.arange(4, dtype=np.uint64) * steps[:, np.newaxis]
    if game.squares:
        offsets = np.concatenate([offsets, np.array([[0, 1, 4, 5]], dtype=np.uint64)])
        starts = np.append(starts, np.uint64(0x0777))
    starts = starts * LANES
    count = len(starts)

    def kernel(game, own, opp):
        empty = (~opp & LANE) * LANES
        having = lacking = np.uint64(0)
        for i in range(count):
            a, b, c, d = offsets[i, 0], offsets[i, 1], offsets[i, 2], offsets[i, 3]
            having |= _fourth_cells(own, starts[i], a, b, c, d)
            lacking |= _fourth_cells(~(own | empty), starts[i], a, b, c, d)
        return having & empty, lacking & empty

    return kernel


@kernel
def _fourth_cells(alike: Any, starts: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return the missing cells of fours with three ``alike`` cells. Their cells are at ``a`` to ``d`` from a start."""
    at_a, at_b, at_c, at_d = (alike >> a) & starts, (alike >> b) & starts, (alike >> c) & starts, (alike >> d) & starts
    ab, cd = at_a & at_b, at_c & at_d
    return ((at_b & cd) << a) | ((at_a & cd) << b) | ((ab & at_d) << c) | ((ab & at_c) << d)


@kernel
def winning_cells(having: Any, lacking: Any, piece: Any) -> Any:
    """Return the cells where a piece completes a line, from the result of :func:`completing_cells`, as uint64."""
    cells = np.uint64(0)
    for attribute in range(4):
        lanes = having if (piece >> np.uint64(attribute)) & np.uint64(1) else lacking
        cells |= lanes >> np.uint64(16 * attribute)
    return cells & LANE


@kernel
def safe_pieces(having: Any, lacking: Any, left: Any) -> Any:
    """Return the pieces of the set ``left`` that complete no line, as uint64."""
    for attribute in range(4):
        if (having >> np.uint64(16 * attribute)) & LANE:
            left &= ~HAVING[attribute]
        if (lacking >> np.uint64(16 * attribute)) & LANE:
            left &= HAVING[attribute]
    return left


@implements(may_end, Quarto)
def _(game: Quarto) -> Any:
    def kernel(game, own, opp, outcome):
        if outcome != WIN or not opp >> np.uint64(HOLDING):  # giving a piece does not end the game
            return False
        having, lacking = completing_cells(game, own, opp)
        return winning_cells(having, lacking, (opp >> np.uint64(HAND)) & np.uint64(15)) != np.uint64(0)

    return kernel
