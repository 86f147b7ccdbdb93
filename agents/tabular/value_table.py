"""A hash table from positions to values, compiled: open addressing, in memory that is reserved at the start.

A row has a value for every action, -inf where the action is not legal; or one value, of the position itself.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import action_count, inline_kernel, inlined, lean_kernel, legal, symmetry_count, transform
from ci_envs.kernels.hash_table import find_slot
from ci_envs.kernels.random_numbers import next_random

MOST_FULL = 0.875
"""Share of the rows that may be taken."""


def row_type(columns: int) -> np.dtype[np.void]:
    """A row of a table: a position, as many values, and whether the row is taken."""
    fields = [("own", np.uint64), ("opp", np.uint64), ("values", np.float32, (columns,)), ("taken", np.bool_)]
    return np.dtype(fields, align=True)


def new_table(columns: int, megabytes: float) -> NDArray[np.void]:
    """An empty table of at most so many megabytes (2^20 bytes): a power of two of rows of :func:`row_type`.

    Raises:
        ValueError: not even 16 rows have room.
    """
    row = row_type(columns)
    rows = int(megabytes * 2**20) // row.itemsize
    if rows < 16:
        least = 16 * row.itemsize / 2**20
        raise ValueError(f"table_mb={megabytes:g} is too small: 16 positions take {least:.2g}")
    return np.zeros(1 << rows.bit_length() - 1, row)


@inline_kernel
def find(table: Any, own: Any, opp: Any) -> Any:
    """``-> int``: the row of a position, or the free row where it belongs."""
    return np.int64(find_slot(table["own"], table["opp"], table["taken"], False, own, opp))


@inline_kernel
def enter(table: Any, own: Any, opp: Any, initial: Any, spread: Any, state: Any, count: Any) -> Any:
    """``-> (row, state, count)``: the row of a position, put in if it was not there; -1 if the table is full.

    ``count`` is how many positions the table holds. New values are drawn uniformly from ``initial - spread`` to
    ``initial + spread``.
    """
    row = find(table, own, opp)
    if table[row].taken:
        return row, state, count
    if count >= MOST_FULL * len(table):
        return np.int64(-1), state, count
    table[row].own, table[row].opp, table[row].taken = own, opp, True
    for column in range(len(table[row].values)):
        noise = 0.0
        if spread > 0:
            word, state = next_random(state)
            noise = spread * (np.float64(word >> np.uint64(11)) * 2.0**-52 - 1.0)
        table[row].values[column] = initial + noise
    return row, state, count + 1


@lean_kernel
def forbid(game: Any, row: Any) -> None:
    """Write -inf for the actions that are not legal in the position of a row."""
    for number in range(action_count(game)):
        if not legal(game, row.own, row.opp, np.uint64(number)):
            row.values[number] = -np.inf


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
