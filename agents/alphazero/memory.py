"""A cache of network outputs: a ring buffer of the most recent positions, indexed by a hash table.

Searches of successive moves reach the same positions. So do games with the same opening.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import inlined, lean_kernel
from ci_envs.kernels.hash_table import home_slot

_BYTES = 1 << 25


class Memory(NamedTuple):
    """A cache of network outputs, of at most 32 MB.

    Attributes:
        slots: the hash table: the index of an entry + 1, or 0. A new position replaces another position in its slot.
        entries: positions with their logits, values and probabilities of a draw.
        written: number of entries that were ever written, int64 of shape (1,).
    """

    slots: NDArray[np.int32]
    entries: NDArray[np.void]
    written: NDArray[np.int64]


def new_memory(actions: int) -> Memory:
    """Return an empty cache for games with ``actions`` actions."""
    words, numbers = [("own", np.uint64), ("opp", np.uint64)], [("value", np.float32), ("draw", np.float32)]
    entry = np.dtype([*words, ("logits", np.float32, (actions,)), *numbers], align=True)
    count = 1 << (_BYTES // entry.itemsize).bit_length() - 1
    return Memory(np.zeros(2 * count, np.int32), np.zeros(count, entry), np.zeros(1, np.int64))


@inlined
def find_entry(memory: Any, own: Any, opp: Any) -> Any:
    """Return the index of the entry of a position, or -1 if the cache does not contain the position."""
    entry = np.int64(memory.slots[_slot(memory, own, opp)]) - 1
    if entry >= 0 and memory.entries[entry].own == own and memory.entries[entry].opp == opp:
        return entry
    return np.int64(-1)


@inlined
def add_entry(memory: Any, own: Any, opp: Any, logits: Any, value: Any, draw: Any) -> Any:
    """Write an entry and return its index. A full cache replaces its oldest entry."""
    number = memory.written[0] & (len(memory.entries) - 1)
    entry = memory.entries[number]
    entry.own, entry.opp, entry.value, entry.draw = own, opp, value, draw
    for action in range(len(logits)):
        entry.logits[action] = logits[action]
    memory.slots[_slot(memory, own, opp)] = number + 1
    memory.written[0] += 1
    return number


@lean_kernel
def _slot(memory: Any, own: Any, opp: Any) -> Any:
    return np.int64(home_slot(own, opp, len(memory.slots)))
