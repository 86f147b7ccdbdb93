"""The solution of a pair of classes of Quixo's states.

Moves that take an own cube lead from class (a, b) to class (b, a) and back, so play can cycle between them, and they
are solved together. A **sweep** visits all unknown states. After a sweep that has found few values, a **wave** visits
only the predecessors of the states with new values. When nothing changes any more, the unknown states are draws,
because no player can force an end.

A :class:`Sweeper` makes the sweeps: by threads, by the workers of a Ray cluster (:mod:`ci_envs.solver.quixo_workers`)
or by a device of PyTorch (:mod:`ci_envs.solver.quixo_device`). The values are the same. Waves take one or two percent
of the time, and always run in threads.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.quixo import Quixo
from ci_envs.solver.quixo_classes import (
    NOTHING,
    Class,
    ClassTables,
    fill_unused_ranks,
    sweep_states,
    tables_of,
    wave_states,
)
from ci_envs.solver.quixo_ranking import ranking_of

_SHARE_OF_WAVE = 16  # a wave replaces a sweep if there are at least this many unknown states for each new value
_ROWS_IN_PART = 1 << 12
_SECONDS_A_REPORT = 0.2

Report = Callable[[int, int, int], None]
"""A function that is called several times a second with the number of finished rounds (sweeps and waves), and the
numbers of finished parts and of all parts of the current round. It may raise an error to stop the computation."""

T = TypeVar("T")


class Part(NamedTuple):
    """A part of a class: some of its representatives, with all their states.

    Attributes:
        cls: The class.
        rows: The numbers of the representatives.
    """

    cls: Class
    rows: range

    def ranks(self, tables: ClassTables) -> slice:
        """Return the ranks of the states."""
        return slice(self.rows.start * tables.columns, self.rows.stop * tables.columns)


class Swept(NamedTuple):
    """The result of the sweep of a part.

    Attributes:
        found: The number of states with a new value.
        unknown: The number of states without a value.
        states: The states with a new value, uint32 of shape (found, 2), or None if they are too many to list.
    """

    found: int
    unknown: int
    states: NDArray[np.uint32] | None


class Sweeper(ABC):
    """Makes the sweeps of a pair of classes.

    Attributes:
        states_in_part: The size of a part.
    """

    states_in_part: int = 1 << 18

    @abstractmethod
    def start(self, tables: Mapping[Class, ClassTables]) -> None:
        """Prepare the sweeps of a pair of classes.

        Args:
            tables: The tables of the two classes.
        """

    @abstractmethod
    def sweep(self, first: bool, parts: Sequence[Part], report: Callable[[int], None]) -> Iterator[tuple[Part, Swept]]:
        """Visit the unknown states of all parts, and write their values into the tables.

        Args:
            first: Whether it is the first sweep, which also finds states that are over, and considers all moves.
            parts: The parts.
            report: A function to call several times a second with the number of finished parts.

        Yields:
            The parts with their results, in any order.
        """


def sweep_part(game: Quixo, tables: ClassTables, first: bool, rows: range) -> Swept:
    """Visit the unknown states of some representatives, and write their values into the tables."""
    listed = np.empty((listed_states(tables, first, rows), 2), dtype=np.uint32)
    found, unknown = sweep_states(game, ranking_of(game), tables, first, rows.start, rows.stop, listed)
    return Swept(found, unknown, listed[:found].copy() if found <= len(listed) else None)


def listed_states(tables: ClassTables, first: bool, rows: range) -> int:
    """Return the maximum number of states of a part that are listed."""
    return 0 if first else len(rows) * tables.columns // _SHARE_OF_WAVE + 1


class ThreadSweeper(Sweeper):
    """Makes the sweeps by threads. They read values that other threads have written in the same sweep."""

    def __init__(self, game: Quixo, pool: ThreadPoolExecutor) -> None:
        self._game, self._pool = game, pool

    @override
    def start(self, tables: Mapping[Class, ClassTables]) -> None:
        self._tables = tables

    @override
    def sweep(self, first: bool, parts: Sequence[Part], report: Callable[[int], None]) -> Iterator[tuple[Part, Swept]]:
        def visit(part: Part) -> Swept:
            return sweep_part(self._game, self._tables[part.cls], first, part.rows)

        yield from zip(parts, _results(self._pool, [partial(visit, part) for part in parts], report), strict=True)


def solve_pair(
    game: Quixo,
    values: Mapping[Class, NDArray[np.uint8]],
    filled: Mapping[Class, NDArray[np.uint8]],
    *,
    threads: int = 1,
    sweeper: Sweeper | None = None,
    report: Report | None = None,
) -> int:
    """Compute the values of a class (a, b) and of the class (b, a).

    Args:
        game: The game.
        values: A byte for each rank of each of the two classes, written. The two lowest bits are the value. At the
            beginning the bytes are 0, or what an interrupted computation has left.
        filled: The packed values (:func:`~ci_envs.solver.quixo_classes.pack`) of the classes (b, a + 1) and (a, b + 1),
            if there are any.
        threads: The number of threads.
        sweeper: Makes the sweeps. None makes them by the threads.
        report: See :data:`Report`.

    Returns:
        The number of rounds: sweeps and waves.
    """
    tables = {
        (a, b): tables_of(game, (a, b), values[a, b], values[b, a], filled.get((b, a + 1), NOTHING))
        for a, b in sorted(values)
    }
    with ThreadPoolExecutor(threads) as pool:
        sweeper = sweeper or ThreadSweeper(game, pool)
        sweeper.start(tables)
        rounds = _Rounds(game, tables, pool, sweeper, report or (lambda *_: None))
        last = rounds.sweep(first=True)
        while last.found:
            is_wave = last.rows is not None and last.found * _SHARE_OF_WAVE <= last.unknown
            last = rounds.wave(last) if is_wave else rounds.sweep()
    for table in tables.values():
        fill_unused_ranks(ranking_of(game), table)
    return rounds.count


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

    def __init__(
        self,
        game: Quixo,
        tables: Mapping[Class, ClassTables],
        pool: ThreadPoolExecutor,
        sweeper: Sweeper,
        report: Report,
    ) -> None:
        self.count = 0
        self._game, self._tables, self._pool, self._sweeper, self._report = game, tables, pool, sweeper, report
        self._ranking = ranking_of(game)

    def sweep(self, first: bool = False) -> _Round:
        """Visit all unknown states. The first sweep also finds states that are over, and considers all moves."""
        found = unknown = 0
        rows: dict[Class, list[NDArray[np.uint32]]] | None = {cls: [] for cls in self._tables}
        parts = [
            Part(cls, range(start, min(start + step, len(tables.representatives))))
            for cls, tables in self._tables.items()
            for step in (max(1, self._sweeper.states_in_part // tables.columns),)
            for start in range(0, len(tables.representatives), step)
        ]
        for part, swept in self._sweeper.sweep(first, parts, partial(self._report_parts, len(parts))):
            found, unknown = found + swept.found, unknown + swept.unknown
            if swept.states is None:
                rows = None
            elif rows is not None:
                rows[part.cls].append(swept.states)
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
        visits = [partial(self._wave_part, *part) for part in parts]
        found = _results(self._pool, visits, partial(self._report_parts, len(parts)))
        for (cls, _), states in zip(parts, found, strict=True):
            rows[cls].append(states)
        self.count += 1
        return _Round(sum(len(states) for listed in rows.values() for states in listed), last.unknown, rows)

    def _wave_part(self, cls: Class, states: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Visit the predecessors, in class ``cls``, of some states, and return those with a new value."""
        listed = np.empty((len(states) * self._game.action_count, 2), dtype=np.uint32)
        return listed[: wave_states(self._game, self._ranking, self._tables[cls], states, listed)].copy()

    def _report_parts(self, parts: int, done: int) -> None:
        self._report(self.count, done, parts)


def _results(pool: ThreadPoolExecutor, visits: Sequence[Callable[[], T]], report: Callable[[int], None]) -> Iterator[T]:
    """Call functions in threads, and yield their results in order. An error cancels the calls that are left."""
    futures = [pool.submit(visit) for visit in visits]
    try:
        for done, future in enumerate(futures):
            while not future.done():
                report(done)
                wait([future], timeout=_SECONDS_A_REPORT)
            yield future.result()
    finally:
        for future in futures:
            future.cancel()
