"""The bits of a position of Quarto.

The first word has four lanes of 16 bits, one for each attribute: bit ``cell`` of a lane is set if the piece there has
the attribute. The second word has the filled cells, then the used pieces, the piece in hand, and whether there is one.
"""

from typing import Any

import numpy as np

from ci_envs.games.game import bits
from ci_envs.kernels.compiler import kernel

CELLS = PIECES = 16
USED, HAND, HOLDING = 16, 32, 36  # the first bits of the fields of the second word

SQUARES = tuple(0x33 << cell for cell in bits(0x0777))
LANE = np.uint64(0xFFFF)
LANES = np.uint64(0x0001_0001_0001_0001)
# the pieces that have each attribute, as bit sets
HAVING = np.array([sum(1 << piece for piece in range(16) if piece >> i & 1) for i in range(4)], dtype=np.uint64)
# the attributes of each piece, as the lowest bits of the lanes
SPREAD = np.array([sum(1 << 16 * bit for bit in bits(piece)) for piece in range(PIECES)], dtype=np.uint64)


@kernel
def piece_at(own: Any, cell: Any) -> Any:
    """Return the number of the piece on an occupied cell as uint64."""
    piece = np.uint64(0)
    for attribute in range(4):
        piece |= ((own >> np.uint64(16 * attribute + cell)) & np.uint64(1)) << np.uint64(attribute)
    return piece
