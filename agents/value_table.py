"""A hash table from positions to values, compiled: open addressing, in memory that is reserved at the start."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import inlined, kernel, symmetry_count, transform
from ci_envs.games.random_numbers import next_random
from ci_envs.solver.search import hash_of

MOST_FULL = 0.875
"""Share of the slots that may be taken."""


class ValueTable(NamedTuple):
    """Positions and a row of values for each.

    Attributes:
        keys: ``(own, opp)``, uint64 (slots, 2).
        taken: whether a slot holds a position, bool (slots,).
        values: float32 (slots, columns).
        size: how many slots are taken, int64 (1,).
    """

    keys: NDArray[np.uint64]
    taken: NDArray[np.bool_]
    values: NDArray[np.float32]
    size: NDArray[np.int64]


def new_table(columns: int, megabytes: float) -> ValueTable:
    """An empty table of at most so many megabytes (2^20 bytes), with a power of two of slots.

    Raises:
        ValueError: not even 16 slots have room.
    """
    slots = int(megabytes * 2**20) // (17 + 4 * columns)
    if slots < 16:
        least = 16 * (17 + 4 * columns) / 2**20
        raise ValueError(f"table_mb={megabytes:g} is too small: 16 positions take {least:.2g}")
    slots = 1 << slots.bit_length() - 1
    return ValueTable(
        np.zeros((slots, 2), np.uint64),
        np.zeros(slots, np.bool_),
        np.zeros((slots, columns), np.float32),
        np.zeros(1, np.int64),
    )


@kernel
def slot_of(table: Any, own: Any, opp: Any) -> Any:
    """``-> int``: where a position is in the table, or would be."""
    keys, taken = table.keys, table.taken  # once: in the loop Numba would count references to them
    last = np.uint64(len(taken) - 1)
    slot = hash_of(own, opp) & last
    while taken[slot] and (keys[slot, 0] != own or keys[slot, 1] != opp):
        slot = (slot + np.uint64(1)) & last
    return np.int64(slot)


@kernel
def enter(table: Any, own: Any, opp: Any, initial: Any, spread: Any, state: Any) -> Any:
    """``-> (slot, state)``: where a position is, put in if it was not there; -1 if the table is full.

    New values are drawn uniformly from ``initial - spread`` to ``initial + spread``.
    """
    slot = slot_of(table, own, opp)
    if table.taken[slot]:
        return slot, state
    if table.size[0] >= MOST_FULL * len(table.taken):
        return np.int64(-1), state
    table.keys[slot, 0], table.keys[slot, 1], table.taken[slot] = own, opp, True
    table.size[0] += 1
    for column in range(table.values.shape[1]):
        noise = 0.0
        if spread > 0:
            word, state = next_random(state)
            noise = spread * (np.float64(word >> np.uint64(11)) * 2.0**-52 - 1.0)
        table.values[slot, column] = initial + noise
    return slot, state


@inlined
def folded(game: Any, own: Any, opp: Any, fold: Any) -> Any:
    """``-> (own, opp, symmetry)``: the least image of a position and what takes it there; itself without ``fold``."""
    least_own, least_opp, chosen = own, opp, 0
    if fold:
        for symmetry in range(1, symmetry_count(game)):
            image_own, image_opp = transform(game, symmetry, own, opp)
            if image_own < least_own or (image_own == least_own and image_opp < least_opp):
                least_own, least_opp, chosen = image_own, image_opp, symmetry
    return least_own, least_opp, chosen
