"""The solution of a pair of classes of Quixo's states, by several threads.

A move from a state of class (a, b) leads to class (b, a) if it takes an own cube. If it takes a blank cube, it leads to
class (b, a + 1), which has more cubes and was solved before. So the classes (a, b) and (b, a) are solved together. Play
between them can cycle.

A **value** is DRAWN, WON or LOST for the player to move. At the beginning all values are DRAWN, which also means
unknown. A **sweep** visits all unknown states, and writes the values that follow from the values of their successors.
After a sweep that has found few values, a **wave** visits only the predecessors of the states with new values. Values
are never changed again, so a thread can read values while other threads write them. When nothing changes any more, the
unknown states are draws, because no player can force an end.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.operations import ONGOING, WIN, action_count, legal, play, result
from ci_envs.games.quixo import Quixo, retract
from ci_envs.kernels.bit_selection import deposit_bits
from ci_envs.kernels.bits import popcount
from ci_envs.kernels.compiler import inline_kernel, kernel
from ci_envs.solver.quixo_ranking import class_index, rank, ranking_of

DRAWN, WON, LOST = 0, 1, 2
"""The values of states, 2 bits each."""

_VALUE = np.uint8(3)  # the bits of a byte that contain the value
_SAVED = np.uint8(4)  # the bit of an unknown state that a blank cube saves from a loss
_SHARE_OF_WAVE = 16  # a wave replaces a sweep if there are at least this many unknown states for each new value
_STATES_IN_PART, _ROWS_IN_PART = 1 << 18, 1 << 12
_SECONDS_A_REPORT = 0.2
_NOTHING = np.zeros(0, dtype=np.uint8)

Class = tuple[int, int]
"""The numbers of cubes (a, b) of the player to move and of the opponent."""

Report = Callable[[int, int, int], None]
"""A function that is called several times a second with the number of finished rounds (sweeps and waves), and the
numbers of finished parts and of all parts of the current round. It may raise an error to stop the computation."""

P = TypeVar("P")
T = TypeVar("T")


def solve_pair(
    game: Quixo,
    values: dict[Class, NDArray[np.uint8]],
    filled: dict[Class, NDArray[np.uint8]],
    *,
    threads: int = 1,
    report: Report | None = None,
) -> int:
    """Compute the values of a class (a, b) and of the class (b, a).

    Args:
        game: The game.
        values: A byte for each rank of each of the two classes, written. The two lowest bits are the value. At the
            beginning the bytes are 0, or what an interrupted computation has left.
        filled: The packed values (:func:`pack`) of the classes (b, a + 1) and (a, b + 1), if there are any.
        threads: The number of threads.
        report: See :data:`Report`.

    Returns:
        The number of rounds: sweeps and waves.
    """
    tables = {cls: _tables_of(game, cls, values, filled) for cls in sorted(values)}
    with ThreadPoolExecutor(threads) as pool:
        rounds = _Rounds(game, tables, pool, report or (lambda *_: None))
        last = rounds.sweep(first=True)
        while last.found:
            is_wave = last.rows is not None and last.found * _SHARE_OF_WAVE <= last.unknown
            last = rounds.wave(last) if is_wave else rounds.sweep()
    for table in tables.values():
        _fill_unused_ranks(ranking_of(game), table)
    return rounds.count


class _Tables(NamedTuple):
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
        values: A byte for each state of class (a, b), written.
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
    values: NDArray[np.uint8]
    turned: NDArray[np.uint8]
    turned_columns: int
    turned_offsets: NDArray[np.uint64]
    filled: NDArray[np.uint8]
    filled_columns: int
    filled_offsets: NDArray[np.uint64]


def _tables_of(
    game: Quixo, cls: Class, values: dict[Class, NDArray[np.uint8]], filled: dict[Class, NDArray[np.uint8]]
) -> _Tables:
    a, b = cls
    cells = game.size**2
    index, turned = class_index(game, a, b), class_index(game, b, a)
    above = class_index(game, b, a + 1) if a + b < cells else turned
    return _Tables(
        index.representatives,
        index.images,
        index.columns,
        index.offsets,
        np.uint64((1 << b) - 1),
        np.uint64((1 << cells) - 1),
        np.uint64(a),
        values[a, b],
        values[b, a],
        turned.columns,
        turned.offsets,
        filled.get((b, a + 1), _NOTHING),
        above.columns,
        above.offsets,
    )


class _Round(NamedTuple):
    """The results of a sweep or wave.

    Attributes:
        found: The number of states with a new value.
        unknown: The number of states that the last sweep has left unknown.
        rows: The states with a new value by class, uint32 of shape (n, 2), or None if they were too many to list.
    """

    found: int
    unknown: int
    rows: dict[Class, list[NDArray[np.uint32]]] | None


class _Rounds:
    """The sweeps and waves of one computation.

    Attributes:
        count: The number of finished rounds.
    """

    def __init__(self, game: Quixo, tables: dict[Class, _Tables], pool: ThreadPoolExecutor, report: Report) -> None:
        self.count = 0
        self._game, self._tables, self._pool, self._report = game, tables, pool, report
        self._ranking = ranking_of(game)

    def sweep(self, first: bool = False) -> _Round:
        """Visit all unknown states. The first sweep also finds states that are over, and considers all moves."""
        found = unknown = 0
        rows: dict[Class, list[NDArray[np.uint32]]] | None = {cls: [] for cls in self._tables}
        parts = [
            (cls, range(start, min(start + step, len(tables.representatives))))
            for cls, tables in self._tables.items()
            for step in (max(1, _STATES_IN_PART // tables.columns),)
            for start in range(0, len(tables.representatives), step)
        ]
        for (cls, _), (new, left, listed) in self._map(partial(self._sweep_part, first), parts):
            found, unknown = found + new, unknown + left
            if listed is None:
                rows = None
            elif rows is not None:
                rows[cls].append(listed)
        self.count += 1
        return _Round(found, unknown, rows)

    def wave(self, last: _Round) -> _Round:
        """Visit the predecessors of the states with a new value that take an own cube."""
        rows: dict[Class, list[NDArray[np.uint32]]] = {cls: [] for cls in self._tables}
        parts = [
            (cls[::-1], states[start : start + _ROWS_IN_PART])
            for cls, listed in (last.rows or {}).items()
            for states in listed
            for start in range(0, len(states), _ROWS_IN_PART)
        ]
        for (cls, _), found in self._map(self._wave_part, parts):
            rows[cls].append(found)
        self.count += 1
        return _Round(sum(len(states) for listed in rows.values() for states in listed), last.unknown, rows)

    def _sweep_part(self, first: bool, cls: Class, part: range) -> tuple[int, int, NDArray[np.uint32] | None]:
        """Visit the states of some representatives.

        Returns:
            The number of states with a new value, the number of unknown states, and the former states or None.
        """
        tables = self._tables[cls]
        capacity = 0 if first else len(part) * tables.columns // _SHARE_OF_WAVE + 1
        listed = np.empty((capacity, 2), dtype=np.uint32)
        found, unknown = _sweep(self._game, self._ranking, tables, first, part.start, part.stop, listed)
        return found, unknown, listed[:found].copy() if found <= capacity else None

    def _wave_part(self, cls: Class, states: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Visit the predecessors, in class ``cls``, of some states, and return those with a new value."""
        listed = np.empty((len(states) * self._game.action_count, 2), dtype=np.uint32)
        return listed[: _wave(self._game, self._ranking, self._tables[cls], states, listed)].copy()

    def _map(
        self, visit: Callable[[Class, P], T], parts: Sequence[tuple[Class, P]]
    ) -> Iterator[tuple[tuple[Class, P], T]]:
        """Visit the parts in the threads, and yield each with its result. An error cancels the parts that are left."""
        futures = [self._pool.submit(visit, *part) for part in parts]
        try:
            for done, (part, future) in enumerate(zip(parts, futures, strict=True)):
                while not future.done():
                    self._report(self.count, done, len(parts))
                    wait([future], timeout=_SECONDS_A_REPORT)
                yield part, future.result()
        finally:
            for future in futures:
                future.cancel()


@kernel
def pack(values: Any, packed: Any) -> None:
    """Write the values of ``values``, a byte each, into ``packed``, 4 in a byte, the first in the lowest bits."""
    for i in range(len(packed)):
        byte = np.uint8(0)
        for k in range(min(4, len(values) - 4 * i)):
            byte |= (values[4 * i + k] & _VALUE) << np.uint8(2 * k)
        packed[i] = byte


@inline_kernel
def unpacked(packed: Any, number: Any) -> Any:
    """Return value ``number`` of packed values."""
    shift = np.uint8(number & np.uint64(3)) << np.uint8(1)
    return (packed[number >> np.uint64(2)] >> shift) & _VALUE


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
def _sweep(game: Any, ranking: Any, tables: Any, first: Any, start: Any, stop: Any, listed: Any) -> Any:
    """Visit the unknown states of the representatives from ``start`` to ``stop - 1``.

    Args:
        game: The game.
        ranking: The :class:`~ci_envs.solver.quixo_ranking.Ranking` of the board.
        tables: The :class:`_Tables` of the class.
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
            known = tables.values[np.uint64(number)]
            opp = deposit_bits(mask, free)
            mask = _next_mask(mask)
            if known & _VALUE != DRAWN or not _is_used(ranking, tables, row, own, opp, number):
                continue
            value = _value(game, ranking, tables, own, opp, known & _SAVED, first)
            tables.values[np.uint64(number)] = value
            if value & _VALUE == DRAWN:
                unknown += 1
            else:
                if found < len(listed):
                    listed[found, 0], listed[found, 1] = own, opp
                found += 1
    return found, unknown


@kernel
def _wave(game: Any, ranking: Any, tables: Any, states: Any, listed: Any) -> Any:
    """Visit the unknown predecessors of states, by moves of own cubes. Write those with a new value into ``listed``.

    Args:
        game: The game.
        ranking: The :class:`~ci_envs.solver.quixo_ranking.Ranking` of the board.
        tables: The :class:`_Tables` of the class of the predecessors.
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
            if known & _VALUE != DRAWN:
                continue
            value = _value(game, ranking, tables, own, opp, known & _SAVED, False)
            if value & _VALUE != DRAWN:
                tables.values[place] = value
                listed[found, 0], listed[found, 1] = own, opp
                found += 1
    return found


@kernel
def _fill_unused_ranks(ranking: Any, tables: Any) -> None:
    """Copy the value of each state to the other ranks that belong to symmetric states."""
    for row in range(len(tables.images)):
        if tables.images[row] == len(ranking.images):
            continue
        own, mask = tables.representatives[row], tables.first
        for number in range(row * tables.columns, (row + 1) * tables.columns):
            opp = deposit_bits(mask, tables.full & ~own)
            place = rank(ranking, tables.columns, tables.offsets, tables.full, own, opp)
            tables.values[np.uint64(number)] = tables.values[place]
            mask = _next_mask(mask)


@inline_kernel
def _is_used(ranking: Any, tables: Any, row: Any, own: Any, opp: Any, number: Any) -> Any:
    """Return whether ``number`` is the rank of the state of representative ``row`` with these words."""
    if tables.images[row] == len(ranking.images):
        return True
    return rank(ranking, tables.columns, tables.offsets, tables.full, own, opp) == np.uint64(number)


@inline_kernel
def _next_mask(mask: Any) -> Any:
    """Return the next larger mask with equally many bits, or 0 after 0."""
    if mask == np.uint64(0):
        return mask
    lowest = mask & (~mask + np.uint64(1))
    carried = mask + lowest
    return carried | (((mask ^ carried) >> np.uint64(2)) // lowest)


@inline_kernel
def _value(game: Any, ranking: Any, tables: Any, own: Any, opp: Any, saved: Any, first: Any) -> Any:
    """Return what is known of a state: its value, or the bit ``_SAVED``, or 0."""
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
            value = tables.turned[place] & _VALUE
        elif first:
            place = rank(ranking, tables.filled_columns, tables.filled_offsets, tables.full, next_own, next_opp)
            value = unpacked(tables.filled, place)
            if value == DRAWN:
                saved = _SAVED
        else:
            continue
        if value == LOST:
            return np.uint8(WON)
        if value == DRAWN:
            only_lost_moves = False
    return np.uint8(LOST) if only_lost_moves and not saved else saved
