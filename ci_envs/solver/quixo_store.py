"""The values of Quixo's states in a folder: a file for each class, computed one pair of classes after another.

The method is that of Tanaka, Bonnet, Tixeuil and Tamura, "Quixo Is Solved", Advances in Computer Games 2021: backward
induction from the full board to the empty board, and value iteration inside each pair of classes
(:mod:`ci_envs.solver.quixo_pairs`). A table has 2 bits for each rank (:mod:`ci_envs.solver.quixo_ranking`).

While a pair is computed, its bytes are in a memory map of a temporary file. They contain only values that are certain,
at any time. So a computation that was interrupted, or killed, continues with the values found so far.
"""

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.cluster import RayPool, check_address
from ci_envs.games.operations import DRAW, LOSS, ONGOING, WIN
from ci_envs.games.position import Position
from ci_envs.games.quixo import Quixo
from ci_envs.kernels.bits import bit_counts, popcount
from ci_envs.kernels.compiler import inline_kernel
from ci_envs.kernels.dispatch import Static, implements
from ci_envs.solver.errors import UnknownValueError
from ci_envs.solver.known_value import UNKNOWN, CompiledSource, known_value
from ci_envs.solver.levels import Requirements, Resources
from ci_envs.solver.quixo_classes import DRAWN, WON, Class, count_values, packed_values, unpacked
from ci_envs.solver.quixo_pairs import Sweeper, solve_pair
from ci_envs.solver.quixo_ranking import Ranking, class_index, class_size, rank, ranking_of, write_ranks
from ci_envs.solver.solution import Progress, Solution
from ci_envs.storage.block_file import BlockFile, write_blocks
from ci_envs.storage.checked_file import DamagedFileError
from ci_envs.storage.files import named_errors
from ci_envs.storage.locks import locked
from ci_envs.storage.user_folders import user_cache

MAX_STORED_SIZE = 5
"""The size of the largest board that a store can have."""

VERSION = 1
"""The version of the tables. Increase it if the rules of Quixo, the ranks or the codes of the values change."""

STORE_VARIABLE = "CI_ENVS_STORE"
"""The environment variable with the folder of the store that all solvers and agents use."""

_SIGNS = np.array([0, 1, -1], dtype=np.int16)  # the score of each value in the tables
_ZEROS = bytes(1 << 20)


class ClassCounts(NamedTuple):
    """The numbers of states of a class, symmetric states counted separately.

    Attributes:
        win: The number of states that the player to move wins.
        draw: The number of drawn states.
        loss: The number of states that the player to move loses.
    """

    win: int
    draw: int
    loss: int


class LoadedTables(NamedTuple):
    """Tables in memory, for compiled code.

    Attributes:
        cubes: The smallest number of cubes on the board of the positions that have a table.
        ranking: The tables that all classes of the board share.
        full: The mask of all cells.
        columns: The attribute ``columns`` of the :class:`~ci_envs.solver.quixo_ranking.ClassIndex` of the class with a
            and b cubes, int64 of shape (cells + 1, cells + 1), indexed by (a, b).
        offsets: The attribute ``offsets`` of these indices, uint64. Class (a, b) has the row a (cells + 1) + b.
        starts: The index of the first byte of each class in ``packed``, int64 of shape (cells + 1, cells + 1).
        packed: The packed values (:func:`~ci_envs.solver.quixo_classes.pack`) of all classes, uint8.
    """

    cubes: int
    ranking: Ranking
    full: np.uint64
    columns: NDArray[np.int64]
    offsets: NDArray[np.uint64]
    starts: NDArray[np.int64]
    packed: NDArray[np.uint8]


class QuixoStore:
    """The tables of a board in a folder.

    Attributes:
        game: The game, with at most 5 x 5 cubes.
        folder: The folder. It is created by :meth:`compute`.

    Examples:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from ci_envs import Position, Quixo
        >>> store = QuixoStore(Quixo(size=3), Path(tempfile.mkdtemp()))
        >>> store.compute(cubes=8)
        >>> store.cubes, store.counts(4, 4)
        (8, ClassCounts(win=437, draw=0, loss=193))
    """

    def __init__(self, game: Quixo, folder: Path) -> None:
        """Open a store. The folder does not have to exist.

        Raises:
            ValueError: The board is too large.
        """
        if game.size > MAX_STORED_SIZE:
            raise ValueError(f"{game} is too large for tables: size must be at most {MAX_STORED_SIZE}")
        self.game, self.folder = game, folder
        self._files: dict[Class, BlockFile] = {}

    @property
    def name(self) -> str:
        """The name of the store in messages."""
        return f"the store {str(self.folder)!r}"

    def has(self, cls: Class) -> bool:
        """Return whether a class has a table."""
        return self._path(cls).exists()

    @property
    def cubes(self) -> int | None:
        """The smallest number n such that all classes with n or more cubes have tables; None if there is no n."""
        complete = None
        for cubes in range(self.game.size**2, -1, -1):
            if not all(self.has((a, cubes - a)) for a in range(cubes + 1)):
                break
            complete = cubes
        return complete

    def covers(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which positions have at least :attr:`cubes` cubes, bool of shape (n,).

        Args:
            words: The positions, rows ``(own, opp)``, uint64 of shape (n, 2).
        """
        cubes = self.cubes
        covered: NDArray[np.bool_] = bit_counts(words).sum(axis=1) >= (np.inf if cubes is None else cubes)
        return covered

    def counts(self, a: int, b: int) -> ClassCounts:
        """Return the numbers of won, drawn and lost states with ``a`` own cubes and ``b`` cubes of the opponent.

        Raises:
            ValueError: The class has no table, or its table is damaged.
        """
        return ClassCounts(**self._file((a, b)).description["counts"])

    def all_counts(self) -> dict[Class, ClassCounts]:
        """Return :meth:`counts` of all classes with at least :attr:`cubes` cubes, the full boards first.

        Raises:
            ValueError: The store has no tables, or a table is damaged.
        """
        return {cls: self.counts(*cls) for cls in self._classes()}

    def values(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        """Return the values of positions for the player to move: 1 won, 0 drawn, -1 lost, int16 of shape (n,).

        Args:
            words: The positions, rows ``(own, opp)``, uint64 of shape (n, 2). They may be over.

        Raises:
            ValueError: The class of a position has no table, or its table is damaged.
        """
        cells = self.game.size**2
        classes = (bit_counts(words) @ np.array([cells + 1, 1])).astype(np.uint16)
        values = np.empty(len(words), dtype=np.int16)
        order, counts = np.argsort(classes, kind="stable"), np.bincount(classes)
        for number, chosen in enumerate(np.split(order, np.cumsum(counts)[:-1])):
            if len(chosen) == 0:
                continue
            a, b = divmod(number, cells + 1)
            index = class_index(self.game, a, b)
            ranks = np.empty(len(chosen), dtype=np.uint64)
            full = np.uint64((1 << cells) - 1)
            write_ranks(ranking_of(self.game), index.columns, index.offsets, full, words[chosen], ranks)
            values[chosen] = _SIGNS[self._table_values((a, b), words[chosen], ranks)]
        return values

    def content(self, cls: Class) -> NDArray[np.uint8]:
        """Return the packed values (:func:`~ci_envs.solver.quixo_classes.pack`) of a class, uint8.

        Raises:
            ValueError: The class has no table, or its table is damaged.
        """
        file = self._file(cls)
        file.verify()
        return file.content

    def sample_positions(self, n: int, rng: np.random.Generator) -> NDArray[np.uint64]:
        """Sample states that are not over uniformly from all states with at least :attr:`cubes` cubes.

        Args:
            n: The number of states. The sampling is with replacement.
            rng: The random number generator.

        Returns:
            Rows (own, opp), uint64 of shape (n, 2).

        Raises:
            ValueError: The store has no tables.
        """
        cells, classes = self.game.size**2, self._classes()
        sizes = np.array([class_size(cells, a, b) for a, b in classes], dtype=np.float64)
        states = np.empty((0, 2), dtype=np.uint64)
        while len(states) < n:
            numbers = np.array(classes)[rng.choice(len(classes), n, p=sizes / sizes.sum())]
            bits = np.uint64(1) << rng.permuted(np.tile(np.arange(cells, dtype=np.uint64), (n, 1)), axis=1)
            places = np.arange(cells)
            own, last = numbers[:, :1], numbers.sum(axis=1, keepdims=True)
            words = np.stack(
                [(bits * mask).sum(axis=1) for mask in (places < own, (own <= places) & (places < last))], 1
            )
            going = [self.game.rules.examine(self.game, *state)[2] == ONGOING for state in words.tolist()]
            states = np.concatenate([states, words[going]])
        return states[:n]

    def compiled(self) -> CompiledSource:
        """Return all tables of positions with at least :attr:`cubes` cubes, in memory, for compiled code.

        Raises:
            ValueError: The store has no tables, or a table is damaged.
        """
        return StoreSource(), self._load(lambda cls: self._verified(cls).content)

    def _load(self, content_of: Callable[[Class], NDArray[np.uint8]]) -> LoadedTables:
        """Return the tables with these packed values of each class, in memory."""
        cells, classes = self.game.size**2, self._classes()
        indices = {cls: class_index(self.game, *cls) for cls in classes}
        columns, starts = np.zeros((2, cells + 1, cells + 1), dtype=np.int64)
        offsets = np.zeros(((cells + 1) ** 2, max(len(index.offsets) for index in indices.values())), dtype=np.uint64)
        contents = [content_of(cls) for cls in classes]
        start = 0
        for ((a, b), index), content in zip(indices.items(), contents, strict=True):
            columns[a, b], starts[a, b] = index.columns, start
            offsets[a * (cells + 1) + b, : len(index.offsets)] = index.offsets
            start += len(content)
        full, packed = np.uint64((1 << cells) - 1), np.concatenate(contents)
        return LoadedTables(sum(classes[-1]), ranking_of(self.game), full, columns, offsets, starts, packed)

    def requirements(self, level: int = 0) -> Requirements:
        """Return the resources that :meth:`compute` needs for the classes that have no tables."""
        states = disk = memory = most_work = 0
        for pair in self._pairs(level):
            if all(self._path(cls).exists() for cls in pair):
                continue
            work = sum(class_index(self.game, *cls).size for cls in pair)
            filled = sum(self._size_above(cls) for cls in pair) // 4
            states, disk = states + work, disk + work // 4
            most_work, memory = max(most_work, work), max(memory, work + filled)
        tables = ranking_of(self.game)
        return Requirements(states, disk + most_work, memory + sum(table.nbytes for table in tables))

    def compute(
        self,
        cubes: int = 0,
        *,
        threads: int = 1,
        sweeper: Sweeper | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Compute the tables that are missing or damaged.

        A computation can be stopped, and continues with the next call. It loses at most a sweep of one pair of classes.

        Args:
            cubes: The smallest number of cubes on the board. 0 solves the game.
            threads: The number of threads.
            sweeper: Makes most of the work, instead of the threads.
            progress: A function that is called repeatedly with the estimated number of finished states and the number
                of all states. It may raise an error to stop the computation.

        Raises:
            ValueError: ``cubes`` is out of range, or another process computes tables in the same folder.
            OSError: A file cannot be written, for example because the disk is full.
        """
        cells = self.game.size**2
        if not 0 <= cubes <= cells:
            raise ValueError(f"the level must be from 0 to {cells} cubes, not {cubes}")
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder, "computes tables", ".lock"):
            pairs = [pair for pair in self._pairs(cubes) if not all(self._is_valid(cls) for cls in pair)]
            sizes = [sum(class_index(self.game, *cls).size for cls in pair) for pair in pairs]
            done, total = 0, sum(sizes)
            for pair, size in zip(pairs, sizes, strict=True):

                def report(rounds: int, part: int, parts: int, done: int = done, size: int = size) -> None:
                    if progress:  # each round is assumed to take half of the remaining time
                        progress(done + int(size * (1 - (1 - part / parts / 2) / 2**rounds)), total)

                self._compute_pair(pair, partial(solve_pair, threads=threads, sweeper=sweeper, report=report))
                done += size

    def compute_level(self, level: int, resources: Resources, progress: Progress | None = None) -> None:
        """Compute the tables of the states with at least ``level`` cubes, as :meth:`compute` does.

        Raises:
            ValueError: The options exclude each other, or the workers or the device cannot be used.
            ImportError: A package is not installed.
        """
        with _sweeper(self.game, resources) as sweeper:
            threads = resources.threads or os.cpu_count() or 1
            self.compute(level, threads=threads, sweeper=sweeper, progress=progress)

    def rows(self, level: int) -> list[dict[str, int]]:
        """Return the numbers of won, drawn and lost states of each class with at least ``level`` cubes."""
        return [
            {"level": a + b, "own": a, "opponent": b, **counts._asdict()}
            for (a, b), counts in self.all_counts().items()
            if a + b >= level
        ]

    def _compute_pair(self, pair: tuple[Class, ...], solve: Callable[..., int]) -> None:
        above = [(b, a + 1) for a, b in pair if a + b < self.game.size**2]
        filled = {cls: self._verified(cls).content for cls in above}
        values = {cls: self._working_values(cls) for cls in pair}
        solve(self.game, values, filled)
        for cls in pair:
            self._write(cls, values[cls])
        del values
        for cls in pair:
            self._working_path(cls).unlink()

    def _working_values(self, cls: Class) -> NDArray[np.uint8]:
        """Return the bytes of a class that is being computed, in the memory map of a temporary file."""
        path, size = self._working_path(cls), class_index(self.game, *cls).size
        if not path.exists() or path.stat().st_size != size:
            new = path.with_suffix(".new")  # all its blocks exist, so that a full disk is an error and not a signal
            with named_errors(new), new.open("wb") as file:
                for start in range(0, size, len(_ZEROS)):
                    file.write(_ZEROS[: size - start])
            new.replace(path)
        return np.memmap(path, np.uint8, "r+", shape=(size,))

    def _write(self, cls: Class, values: NDArray[np.uint8]) -> None:
        index = class_index(self.game, *cls)
        packed = packed_values(values)
        draw, win, loss, _ = count_values(packed, index.images, index.columns).tolist()
        description = {**self._description(cls), "counts": ClassCounts(win, draw, loss)._asdict()}
        write_blocks(self._path(cls), description, packed)
        self._files.pop(cls, None)

    def _is_valid(self, cls: Class) -> bool:
        """Return whether a class has a table. Warn if its table is damaged."""
        try:
            self._verified(cls)
        except FileNotFoundError:
            return False
        except DamagedFileError as error:
            warnings.warn(f"{error}. It is computed again", RuntimeWarning, stacklevel=3)
            return False
        return True

    def _verified(self, cls: Class) -> BlockFile:
        file = self._open(cls)
        file.verify()
        return file

    def _table_values(self, cls: Class, words: NDArray[np.uint64], ranks: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """Return the values of states of one class as in its table, uint8 of shape (n,).

        Args:
            cls: The class.
            words: The states, rows ``(own, opp)``, uint64 of shape (n, 2).
            ranks: Their ranks, uint64 of shape (n,).
        """
        return value_at(self._file(cls).read(ranks // 4), ranks)

    def _file(self, cls: Class) -> BlockFile:
        try:
            return self._open(cls)
        except FileNotFoundError:
            cubes = self.cubes
            has = "no tables" if cubes is None else f"the values of positions with at least {cubes} cubes"
            raise UnknownValueError(
                f"a position with {sum(cls)} cubes has no value: {self.name} has {has} of {self.game}."
                " Compute more with ci-envs solve --store"
            ) from None

    def _open(self, cls: Class) -> BlockFile:
        if cls not in self._files:
            self._files[cls] = self._read(cls)
        return self._files[cls]

    def _read(self, cls: Class) -> BlockFile:
        file = BlockFile.open(self._path(cls))
        expected = self._description(cls)
        if {name: file.description.get(name) for name in expected} != expected:
            raise DamagedFileError(f"the file {str(file.path)!r} is not the table that its name says")
        return file

    def _description(self, cls: Class) -> dict[str, object]:
        return {"game": repr(self.game), "version": VERSION, "own": cls[0], "opponent": cls[1]}

    def _path(self, cls: Class) -> Path:
        return self.folder / f"quixo{self.game.size}-{cls[0]:02}-{cls[1]:02}.values"

    def _working_path(self, cls: Class) -> Path:
        return self.folder / f".{self._path(cls).stem}.v{VERSION}.work"

    def _pairs(self, cubes: int) -> Iterator[tuple[Class, ...]]:
        """Yield the pairs of classes with at least ``cubes`` cubes in the order in which they can be computed."""
        for count in range(self.game.size**2, cubes - 1, -1):
            for a in range(count // 2 + 1):
                yield tuple(sorted({(a, count - a), (count - a, a)}))

    def _classes(self) -> list[Class]:
        """Return the classes with at least :attr:`cubes` cubes, the full boards first.

        Raises:
            ValueError: The store has no tables.
        """
        cubes = self.cubes
        if cubes is None:
            raise ValueError(f"{self.name} has no tables of {self.game}")
        return classes_of(self.game, cubes)

    def _size_above(self, cls: Class) -> int:
        a, b = cls
        return class_index(self.game, b, a + 1).size if a + b < self.game.size**2 else 0


class StoreSolution(Solution):
    """The values of the positions whose tables a store has. Distances are unknown."""

    game: Quixo

    def __init__(self, store: QuixoStore) -> None:
        super().__init__(store.game)
        self.store = store

    @override
    def scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        return self.store.values(words)

    @override
    def covers(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]:
        return self.store.covers(words)

    @override
    def why_unknown(self, position: Position) -> str:
        level = (position.own | position.opp).bit_count()
        return f"the position has {level} cubes, and the tables need at least {self.store.cubes}"

    @override
    def compiled(self) -> CompiledSource:
        return self.store.compiled()

    @override
    def sample_positions(self, n: int, rng: np.random.Generator) -> NDArray[np.uint64]:
        return self.store.sample_positions(n, rng)

    @property
    @override
    def counts(self) -> dict[str, int]:
        """The numbers of ``win``, ``draw`` and ``loss`` states of all tables."""
        counts = self.store.all_counts()
        return {name: sum(getattr(count, name) for count in counts.values()) for name in ClassCounts._fields}


@dataclass(frozen=True)
class StoreSource(Static):
    """The compiled source of a :class:`QuixoStore`: ``(StoreSource(), tables)``, with :class:`LoadedTables`."""


@implements(known_value, StoreSource)
def _(source: StoreSource) -> Any:
    return lambda source, own, opp: loaded_value(source[1], own, opp)


@inline_kernel
def loaded_value(tables: Any, own: Any, opp: Any) -> Any:
    """Return the value of a position in :class:`LoadedTables` as WIN, DRAW or LOSS, or UNKNOWN."""
    a, b = popcount(own), popcount(opp)
    if a + b < np.uint64(tables.cubes):
        return UNKNOWN
    cls = a * np.uint64(tables.columns.shape[1]) + b
    place = rank(tables.ranking, tables.columns[a, b], tables.offsets[cls], tables.full, own, opp)
    value = unpacked(tables.packed, np.uint64(4) * np.uint64(tables.starts[a, b]) + place)
    return DRAW if value == DRAWN else WIN if value == WON else LOSS


def value_at(packed: NDArray[np.uint8], ranks: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return the values of states, given the bytes of the packed values that contain them, uint8 of shape (n,)."""
    values: NDArray[np.uint8] = packed >> (ranks % 4 * 2).astype(np.uint8) & np.uint8(3)
    return values


def classes_of(game: Quixo, cubes: int) -> list[Class]:
    """Return the classes of a board with at least ``cubes`` cubes, the full boards first."""
    return [(a, number - a) for number in range(game.size**2, cubes - 1, -1) for a in range(number + 1)]


@lru_cache(maxsize=4)
def open_store(game: Quixo, folder: Path) -> QuixoStore:
    """Return the store of a game in a folder. The same store is returned again, with its open files."""
    return QuixoStore(game, folder)


def store_folder() -> Path | None:
    """Return the folder of the store that all solvers and agents use.

    It is the value of the environment variable :data:`STORE_VARIABLE`, or a folder in the user's cache directory. It is
    None if the variable is not set and the user has no home directory.
    """
    try:
        return Path(os.environ.get(STORE_VARIABLE) or user_cache() / "store")
    except OSError:
        return None


@contextmanager
def _sweeper(game: Quixo, resources: Resources) -> Iterator[Sweeper | None]:
    """Start the workers or the device, and stop them at the end of the ``with`` block."""
    check_address(resources.workers, resources.ray_address)
    if resources.workers is not None and resources.device is not None:
        raise ValueError("give either --workers or --device")
    if resources.workers is not None:
        from ci_envs.solver.quixo_workers import WorkerSweeper

        with RayPool(game, resources.workers, resources.ray_address) as pool:
            yield WorkerSweeper(pool)
    elif resources.device is not None:
        from ci_envs.devices import device_named

        device = device_named(resources.device)
        from ci_envs.solver.quixo_device import DeviceSweeper

        yield DeviceSweeper(game, device)
    else:
        yield None
