"""What a network said of positions, remembered: a table in which a new position takes the place of an old one.

Searches of one game meet the same positions from move to move, and games beside each other in their openings.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import lean_kernel
from ci_envs.solver.search import hash_of

_BYTES = 1 << 25


def new_memory(actions: int) -> NDArray[np.void]:
    """An empty memory, 32 MB at most: rows of a position, its logits, its value and whether there is one."""
    fields = [
        ("own", np.uint64),
        ("opp", np.uint64),
        ("logits", np.float32, (actions,)),
        ("value", np.float32),
        ("taken", np.bool_),
    ]
    row = np.dtype(fields, align=True)
    return np.zeros(1 << (_BYTES // row.itemsize).bit_length() - 1, row)


@lean_kernel
def slot_of(memory: Any, own: Any, opp: Any) -> Any:
    """``-> int``: the only row in which a position can be."""
    return np.int64(hash_of(own, opp) & np.uint64(len(memory) - 1))


@lean_kernel
def knows(row: Any, own: Any, opp: Any) -> Any:
    """``-> bool``: is it this position that the row holds."""
    return row.taken and row.own == own and row.opp == opp


@lean_kernel
def remember(row: Any, own: Any, opp: Any, logits: Any, value: Any) -> None:
    """Write what the network said of a position."""
    row.own, row.opp, row.value, row.taken = own, opp, value, True
    for action in range(len(logits)):
        row.logits[action] = logits[action]
