"""The classes of Quixo's states, with compiled visits of their states.

A move from a state of class (a, b) leads to class (b, a) if it takes an own cube. If it takes a blank cube, it leads to
class (b, a + 1), which has more cubes and was solved before.

A **value** is DRAWN, WON or LOST for the player to move. At the beginning all values are DRAWN, which also means
unknown. A visit of an unknown state writes the value that follows from the values of its successors, if one follows.
Values are never changed again, so a thread can read values while other threads write them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.operations import ONGOING, WIN, action_count, legal, play, result
from ci_envs.games.quixo import Quixo, retract
from ci_envs.kernels.bit_selection import deposit_bits
from ci_envs.kernels.bits import popcount
from ci_envs.kernels.compiler import inline_kernel, kernel
from ci_envs.solver.quixo_ranking import class_index, rank

DRAWN, WON, LOST = 0, 1, 2
"""The values of states, 2 bits each."""

VALUE_BITS = np.uint8(3)
"""The bits of a byte that contain the value."""

SAVED = np.uint8(4)
"""The bit of a byte of an unknown state that a blank cube saves from a loss."""

NOTHING = np.zeros(0, dtype=np.uint8)
"""The values of a class that does not exist."""

Class = tuple[int, int]
"""The numbers of cubes (a, b) of the player to move and of the opponent."""


class ClassTables(NamedTuple):
    """The tables that a kernel needs to visit the states of a class (a, b).

    ``columns`` and ``offsets`` are those of the :class:`~ci_envs.solver.quixo_ranking.ClassIndex` of a class.

    Attributes:
        representatives: The masks of own cubes, uint64 of shape (n,).
        images: The number of images of each representative, int64 of shape (n,).
        columns: Of class (a, b).
        offsets: Of class (a, b).
        first: The first mask of the opponent's cubes: the lowest b bits.
        full: The mask of all cells.
        cubes: a.
        begin: The rank of the first state in ``values``.
        values: A byte for each state of class (a, b), or of a part of it, written.
        turned: A byte for each state of class (b, a).
        turned_columns: Of class (b, a).
        turned_offsets: Of class (b, a).
        filled: The packed values of class (b, a + 1). Empty if all cells have cubes.
        filled_columns: Of class (b, a + 1).
        filled_offsets: Of class (b, a + 1).
    """

    representatives: NDArray[np.uint64]
    images: NDArray[np.int64]
    columns: int
    offsets: NDArray[np.uint64]
    first: np.uint64
    full: np.uint64
    cubes: np.uint64
    begin: np.uint64
    values: NDArray[np.uint8]
    turned: NDArray[np.uint8]
    turned_columns: int
    turned_offsets: NDArray[np.uint64]
    filled: NDArray[np.uint8]
    filled_columns: int
    filled_offsets: NDArray[np.uint64]


def tables_of(
    game: Quixo,
    cls: Class,
    values: NDArray[np.uint8],
    turned: NDArray[np.uint8],
    filled: NDArray[np.uint8],
) -> ClassTables:
    """Return the tables of a class (a, b).

    Args:
        game: The game.
        cls: The class.
        values: A byte for each state of the class.
        turned: A byte for each state of class (b, a).
        filled: The packed values (:func:`pack`) of class (b, a + 1), or :data:`NOTHING` for a full board.
    """
    a, b = cls
    cells = game.size**2
    index, turned_index = class_index(game, a, b), class_index(game, b, a)
    filled_index = class_index(game, b, a + 1) if a + b < cells else turned_index
    return ClassTables(
        index.representatives,
        index.images,
        index.columns,
        index.offsets,
        np.uint64((1 << b) - 1),
        np.uint64((1 << cells) - 1),
        np.uint64(a),
        np.uint64(0),
        values,
        turned,
        turned_index.columns,
        turned_index.offsets,
        filled,
        filled_index.columns,
        filled_index.offsets,
    )


@kernel
def pack(values: Any, packed: Any) -> None:
    """Write the values of ``values``, a byte each, into ``packed``, 4 in a byte, the first in the lowest bits."""
    for i in range(len(packed)):
        byte = np.uint8(0)
        for k in range(min(4, len(values) - 4 * i)):
            byte |= (values[4 * i + k] & VALUE_BITS) << np.uint8(2 * k)
        packed[i] = byte


def packed_values(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the packed values (:func:`pack`) of a byte for each value, uint8."""
    packed = np.empty(-(-len(values) // 4), dtype=np.uint8)
    pack(values, packed)
    return packed


@inline_kernel
def unpacked(packed: Any, number: Any) -> Any:
    """Return value ``number`` of packed values."""
    shift = np.uint8(number & np.uint64(3)) << np.uint8(1)
    return (packed[number >> np.uint64(2)] >> shift) & VALUE_BITS


@kernel
def count_values(packed: Any, images: Any, columns: Any) -> Any:
    """Return the numbers of drawn, won and lost states, and of invalid values, int64 of shape (4,).

    Args:
        packed: The packed values of a class.
        images: The number of images of each representative, which are counted separately.
        columns: The number of states of each representative.
    """
    counts = np.zeros(4, dtype=np.int64)
    for row in range(len(images)):
        for number in range(row * columns, (row + 1) * columns):
            counts[unpacked(packed, np.uint64(number))] += images[row]
    return counts


@kernel
def sweep_states(game: Any, ranking: Any, tables: Any, first: Any, start: Any, stop: Any, listed: Any) -> Any:
    """Visit the unknown states of the representatives from ``start`` to ``stop - 1``.

    Args:
        game: The game.
        ranking: The :class:`~ci_envs.solver.quixo_ranking.Ranking` of the board.
        tables: The :class:`ClassTables` of the class.
        first: Whether all moves are considered, and states may be over. If false, only moves of own cubes are
            considered.
        start: The first representative.
        stop: The representative after the last one.
        listed: uint32 of shape (n, 2). The first n states with a new value are written.

    Returns:
        The number of states with a new value, and the number of unknown states.
    """
    found = unknown = 0
    for row in range(start, stop):
        own = tables.representatives[row]
        free = tables.full & ~own
        mask = tables.first
        for number in range(row * tables.columns, (row + 1) * tables.columns):
            known = tables.values[np.uint64(number) - tables.begin]
            opp = deposit_bits(mask, free)
            mask = next_mask(mask)
            if known & VALUE_BITS != DRAWN or not _is_used(ranking, tables, row, own, opp, number):
                continue
            value = _value(game, ranking, tables, own, opp, known & SAVED, first)
            tables.values[np.uint64(number) - tables.begin] = value
            if value & VALUE_BITS == DRAWN:
                unknown += 1
            else:
                if found < len(listed):
                    listed[found, 0], listed[found, 1] = own, opp
                found += 1
    return found, unknown


@kernel
def wave_states(game: Any, ranking: Any, tables: Any, states: Any, listed: Any) -> Any:
    """Visit the unknown predecessors of states, by moves of own cubes. Write those with a new value into ``listed``.

    Args:
        game: The game.
        ranking: The :class:`~ci_envs.solver.quixo_ranking.Ranking` of the board.
        tables: The :class:`ClassTables` of the class of the predecessors.
        states: Rows ``(own, opp)``, uint32 of shape (n, 2).
        listed: uint32 of shape (n * actions, 2), written.

    Returns:
        The number of predecessors with a new value.
    """
    found = 0
    for i in range(len(states)):
        for number in range(action_count(game)):
            possible, own, opp = retract(game, np.uint64(states[i, 0]), np.uint64(states[i, 1]), np.uint64(number))
            if not possible:
                continue
            place = rank(ranking, tables.columns, tables.offsets, tables.full, own, opp)
            known = tables.values[place]
            if known & VALUE_BITS != DRAWN:
                continue
            value = _value(game, ranking, tables, own, opp, known & SAVED, False)
            if value & VALUE_BITS != DRAWN:
                tables.values[place] = value
                listed[found, 0], listed[found, 1] = own, opp
                found += 1
    return found


@kernel
def fill_unused_ranks(ranking: Any, tables: Any) -> None:
    """Copy the value of each state to the other ranks that belong to symmetric states."""
    for row in range(len(tables.images)):
        if tables.images[row] == len(ranking.images):
            continue
        own, mask = tables.representatives[row], tables.first
        for number in range(row * tables.columns, (row + 1) * tables.columns):
            opp = deposit_bits(mask, tables.full & ~own)
            place = rank(ranking, tables.columns, tables.offsets, tables.full, own, opp)
            tables.values[np.uint64(number)] = tables.values[place]
            mask = next_mask(mask)


@inline_kernel
def _is_used(ranking: Any, tables: Any, row: Any, own: Any, opp: Any, number: Any) -> Any:
    """Return whether ``number`` is the rank of the state of representative ``row`` with these words."""
    if tables.images[row] == len(ranking.images):
        return True
    return rank(ranking, tables.columns, tables.offsets, tables.full, own, opp) == np.uint64(number)


@inline_kernel
def next_mask(mask: Any) -> Any:
    """Return the next larger mask with equally many bits, or 0 after 0."""
    if mask == np.uint64(0):
        return mask
    lowest = mask & (~mask + np.uint64(1))
    carried = mask + lowest
    return carried | (((mask ^ carried) >> np.uint64(2)) // lowest)


@inline_kernel
def _value(game: Any, ranking: Any, tables: Any, own: Any, opp: Any, saved: Any, first: Any) -> Any:
    """Return what is known of a state: its value, or the bit ``SAVED``, or 0."""
    if first:
        outcome = result(game, own, opp)
        if outcome != ONGOING:
            return np.uint8(WON if outcome == WIN else LOST)
    only_lost_moves = True  # the opponent wins after all moves so far
    for number in range(action_count(game)):
        action = np.uint64(number)
        if not legal(game, own, opp, action):
            continue
        next_own, next_opp = play(game, own, opp, action)
        if popcount(next_opp) == tables.cubes:
            place = rank(ranking, tables.turned_columns, tables.turned_offsets, tables.full, next_own, next_opp)
            value = tables.turned[place] & VALUE_BITS
        elif first:
            place = rank(ranking, tables.filled_columns, tables.filled_offsets, tables.full, next_own, next_opp)
            value = unpacked(tables.filled, place)
            if value == DRAWN:
                saved = SAVED
        else:
            continue
        if value == LOST:
            return np.uint8(WON)
        if value == DRAWN:
            only_lost_moves = False
    return np.uint8(LOST) if only_lost_moves and not saved else saved
