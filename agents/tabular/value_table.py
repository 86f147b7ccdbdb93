"""A hash table from positions to values, compiled: open addressing in memory that is allocated at the start.

A row has one value per action, -inf for illegal actions, or it has a single value of the position.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import action_count, inline_kernel, inlined, lean_kernel, legal, symmetry_count, transform
from ci_envs.kernels.hash_table import find_slot
from ci_envs.kernels.random_draws import random_share

MAX_LOAD_FACTOR = 0.875
"""Maximum load factor: the fraction of the rows that can be occupied."""


def row_type(columns: int) -> np.dtype[np.void]:
    """Return the data type of a row: a position, ``columns`` values, and whether the row is occupied."""
    fields = [("own", np.uint64), ("opp", np.uint64), ("values", np.float32, (columns,)), ("taken", np.bool_)]
    return np.dtype(fields, align=True)


def new_table(columns: int, megabytes: float) -> NDArray[np.void]:
    """Return an empty table of at most ``megabytes`` MiB (2^20 bytes). The number of rows is a power of two.

    Raises:
        ValueError: there is not enough memory for 16 rows.
    """
    row = row_type(columns)
    rows = int(megabytes * 2**20) // row.itemsize
    if rows < 16:
        least = 16 * row.itemsize / 2**20
        raise ValueError(f"table_mb={megabytes:g} is too small: 16 positions need {least:.2g} MiB")
    return np.zeros(1 << rows.bit_length() - 1, row)


@inline_kernel
def find(table: Any, own: Any, opp: Any) -> Any:
    """Return the row of a position, or the free row where it can be inserted."""
    return np.int64(find_slot(table["own"], table["opp"], table["taken"], False, own, opp))


@inline_kernel
def find_or_insert(table: Any, own: Any, opp: Any, initial: Any, spread: Any, state: Any, count: Any) -> Any:
    """Find the row of a position, or insert the position.

    ``count`` is the number of positions in the table. New values are drawn uniformly from ``initial - spread`` to
    ``initial + spread``.

    Returns:
        The row or -1 if the table is full, the new state of the random number generator, and the new number of
        positions.
    """
    row = find(table, own, opp)
    if table[row].taken:
        return row, state, count
    if count >= MAX_LOAD_FACTOR * len(table):
        return np.int64(-1), state, count
    table[row].own, table[row].opp, table[row].taken = own, opp, True
    for column in range(len(table[row].values)):
        noise = 0.0
        if spread > 0:
            share, state = random_share(state)
            noise = spread * (2.0 * share - 1.0)
        table[row].values[column] = initial + noise
    return row, state, count + 1


@lean_kernel
def mask_illegal(game: Any, row: Any) -> None:
    """Write -inf for the actions that are illegal in the position of a row."""
    for number in range(action_count(game)):
        if not legal(game, row.own, row.opp, np.uint64(number)):
            row.values[number] = -np.inf


@inlined
def canonical(game: Any, own: Any, opp: Any, fold: Any) -> Any:
    """Return the canonical image of a position and the symmetry that leads to it; without ``fold`` itself and 0."""
    least_own, least_opp, chosen = own, opp, 0
    if fold:
        for symmetry in range(1, symmetry_count(game)):
            image_own, image_opp = transform(game, symmetry, own, opp)
            if image_own < least_own or (image_own == least_own and image_opp < least_opp):
                least_own, least_opp, chosen = image_own, image_opp, symmetry
    return least_own, least_opp, chosen
