"""The sweeps of a pair of classes of Quixo's states by the workers of a Ray cluster.

The process that started the computation owns the values. At the start of a pair it sends the packed values of the
classes with one more cube to each machine once, and at the start of each sweep the values of the pair as they are. A
task is a part of one class: a worker gets the bytes of the part, visits its unknown states, and returns the bytes.
Workers do not see values of the same sweep, so there can be more sweeps than with threads.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.cluster import RayPool
from ci_envs.games.quixo import Quixo
from ci_envs.solver.quixo_classes import Class, ClassTables, tables_of
from ci_envs.solver.quixo_pairs import Part, Sweeper, Swept, sweep_part


class _SweptBytes(NamedTuple):
    """The result of a worker: the bytes of the part, and the result of the sweep."""

    values: NDArray[np.uint8]
    swept: Swept


class WorkerSweeper(Sweeper):
    """Makes the sweeps by the workers of a pool, whose state is the game."""

    def __init__(self, pool: RayPool[Quixo]) -> None:
        self._pool = pool

    @override
    def start(self, tables: Mapping[Class, ClassTables]) -> None:
        self._tables = tables
        self._filled = {cls: self._share(table.filled) for cls, table in tables.items()}

    @override
    def sweep(self, first: bool, parts: Sequence[Part], report: Callable[[int], None]) -> Iterator[tuple[Part, Swept]]:
        turned = {cls: self._share(table.turned) for cls, table in self._tables.items()}
        work = [(part, first, self._values(part), turned[part.cls], self._filled[part.cls]) for part in parts]
        for done, (number, result) in enumerate(self._pool.results(_sweep_on_worker, work)):
            self._values(parts[number])[:] = result.values
            report(done)
            yield parts[number], result.swept

    def _values(self, part: Part) -> NDArray[np.uint8]:
        """Return the bytes of a part, a view."""
        tables = self._tables[part.cls]
        return np.asarray(tables.values[part.ranks(tables)])

    def _share(self, values: NDArray[np.uint8]) -> Any:
        return self._pool.share(np.asarray(values))


def _sweep_on_worker(
    game: Quixo,
    part: Part,
    first: bool,
    values: NDArray[np.uint8],
    turned: NDArray[np.uint8],
    filled: NDArray[np.uint8],
) -> _SweptBytes:
    """Visit the unknown states of a part.

    Args:
        game: The game.
        part: The part.
        first: See :meth:`~ci_envs.solver.quixo_pairs.Sweeper.sweep`.
        values: A byte for each state of the part.
        turned: A byte for each state of the other class of the pair.
        filled: The packed values of the class with one more cube, empty if there is none.
    """
    values = values.copy()  # Ray's arrays are read-only
    tables = tables_of(game, part.cls, values, turned, filled)
    tables = tables._replace(begin=np.uint64(part.rows.start * tables.columns))
    return _SweptBytes(values, sweep_part(game, tables, first, part.rows))
