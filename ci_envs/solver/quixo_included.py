"""The tables of Quixo in the package: the values of all states of 5 x 5 with at least 24 cubes.

The file is small, because it contains no values that the rules show at once: those of states that are over, and of
states that the player to move wins with one move. In place of the value of such an **evident** state, it repeats the
value before it. Each table is compressed with LZMA. Searches and the values of single positions use the tables in
this form, because restoring them would take seconds: the rules show whether a position is evident.
``python -m experiments.included_tables`` makes the file.
"""

import lzma
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.operations import LOSS, ONGOING, WIN, action_count, legal, play, result
from ci_envs.games.quixo import Quixo
from ci_envs.kernels.bit_selection import deposit_bits
from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.dispatch import Static, implements
from ci_envs.solver.known_value import UNKNOWN, CompiledSource, known_value
from ci_envs.solver.quixo_classes import DRAWN, LOST, WON, Class, next_mask, packed_values
from ci_envs.solver.quixo_ranking import class_index
from ci_envs.solver.quixo_store import (
    VERSION,
    ClassCounts,
    QuixoStore,
    classes_of,
    loaded_value,
    open_store,
    value_at,
)
from ci_envs.solver.solver import INCLUDED
from ci_envs.storage.block_file import BlockFile, write_blocks
from ci_envs.storage.checked_file import DamagedFileError

_FOLDER = Path(__file__).with_name("tables")


class IncludedStore(QuixoStore):
    """The tables of a board in one file of the package, which cannot be changed.

    Examples:
        >>> from ci_envs import Quixo
        >>> included_store(Quixo()).cubes
        24
    """

    def __init__(self, game: Quixo, path: Path) -> None:
        """Open a file.

        Raises:
            FileNotFoundError: The file does not exist.
            ValueError: The file is damaged, or does not contain tables of this board.
        """
        super().__init__(game, path.parent)
        self._all = BlockFile.open(path)
        description = self._all.description
        if (description["game"], description["version"]) != (repr(game), VERSION):
            raise DamagedFileError(f"the file {str(path)!r} is not the table that its name says")
        classes = classes_of(game, description["cubes"])
        ends = np.cumsum(description["sizes"]).tolist()
        self._packed: dict[Class, NDArray[np.uint8]] = {}
        self._parts = dict(zip(classes, map(slice, [0, *ends], ends), strict=False))
        self._counts = {cls: ClassCounts(*counts) for cls, counts in zip(classes, description["counts"], strict=True)}

    @property
    @override
    def name(self) -> str:
        return "the package"

    @override
    def has(self, cls: Class) -> bool:
        return cls in self._parts

    @override
    def counts(self, a: int, b: int) -> ClassCounts:
        return self._counts.get((a, b)) or super().counts(a, b)

    @override
    def compute(self, *arguments: Any, **options: Any) -> NoReturn:
        """Refuse to change the tables.

        Raises:
            ValueError: Always.
        """
        raise ValueError("the tables in the package cannot be changed: choose a folder")

    @override
    def _read(self, cls: Class) -> BlockFile:
        if cls not in self._parts:
            raise FileNotFoundError
        packed, evident = self._decompressed(cls), evident_values(self.game, cls)
        values = np.where(evident == DRAWN, _unpack(packed, len(evident)), evident)
        return BlockFile.in_memory(self._all.path, {}, packed_values(values))

    @override
    def _table_values(self, cls: Class, words: NDArray[np.uint64], ranks: NDArray[np.uint64]) -> NDArray[np.uint8]:
        if cls not in self._parts or cls in self._files:
            return super()._table_values(cls, words, ranks)
        evident = np.empty(len(words), dtype=np.uint8)  # of these states only, because all states of a class take 0.2 s
        _write_evident(self.game, words, evident)
        return np.where(evident == DRAWN, value_at(self._decompressed(cls)[ranks // 4], ranks), evident)

    @override
    def compiled(self) -> CompiledSource:
        return IncludedSource(), self.game, self._load(self._decompressed)

    def _decompressed(self, cls: Class) -> NDArray[np.uint8]:
        """Return the packed values of a class, in which an evident state has the value before it."""
        if cls not in self._packed:
            self._all.verify()
            content = lzma.decompress(self._all.content[self._parts[cls]].tobytes())
            self._packed[cls] = np.frombuffer(content, dtype=np.uint8)
        return self._packed[cls]


@dataclass(frozen=True)
class IncludedSource(Static):
    """The compiled source of an :class:`IncludedStore`: ``(IncludedSource(), game, tables)``.

    The :class:`~ci_envs.solver.quixo_store.LoadedTables` have another value in place of that of an evident state.
    """


@implements(known_value, IncludedSource)
def _(source: IncludedSource) -> Any:
    def kernel(source: Any, own: Any, opp: Any) -> Any:
        _, game, tables = source
        value = loaded_value(tables, own, opp)
        if value == UNKNOWN:
            return UNKNOWN
        evident = _evident(game, own, opp)
        return value if evident == DRAWN else WIN if evident == WON else LOSS

    return kernel


def write_included(store: QuixoStore, cubes: int, path: Path) -> None:
    """Write the tables of the classes with at least ``cubes`` cubes into one file.

    Raises:
        ValueError: The store does not have these tables, or a table is damaged.
        OSError: The file cannot be written.
    """
    classes = classes_of(store.game, cubes)
    parts = [_compressed(store, cls) for cls in classes]
    description = {
        "game": repr(store.game),
        "version": VERSION,
        "cubes": cubes,
        "sizes": list(map(len, parts)),
        "counts": [store.counts(*cls) for cls in classes],
    }
    write_blocks(path, description, np.frombuffer(b"".join(parts), dtype=np.uint8))


def included_path(game: Quixo) -> Path:
    """Return the path of the file of a board."""
    return _FOLDER / f"quixo{game.size}.tables"


@lru_cache
def included_store(game: Quixo) -> IncludedStore | None:
    """Return the tables of a board in the package, or None if there are none.

    Raises:
        ValueError: The file is damaged.
    """
    path = included_path(game)
    return IncludedStore(game, path) if path.exists() else None


def store_named(game: Quixo, name: str | Path) -> QuixoStore:
    """Return the store in a folder, or the tables in the package for the name :data:`INCLUDED`.

    Raises:
        ValueError: The board is too large, the package has no tables of it, or they are damaged.
    """
    if str(name) != INCLUDED:
        return open_store(game, Path(name))
    store = included_store(game)
    if store is None:
        raise ValueError(f"the package has no tables of {game}, only of Quixo(size=5): give a folder")
    return store


def evident_values(game: Quixo, cls: Class) -> NDArray[np.uint8]:
    """Return the value of each evident state of a class, and DRAWN for the other states, uint8 of shape (ranks,)."""
    a, b = cls
    index = class_index(game, a, b)
    values = np.empty(index.size, dtype=np.uint8)
    full = np.uint64((1 << game.size**2) - 1)
    _write_evident_of_class(game, index.representatives, index.columns, np.uint64((1 << b) - 1), full, values)
    return values


def _compressed(store: QuixoStore, cls: Class) -> bytes:
    evident = evident_values(store.game, cls)
    values = _unpack(store.content(cls), len(evident))
    places = np.where(evident == DRAWN, np.arange(len(values)), 0)
    filled = values[np.maximum.accumulate(places)]
    return lzma.compress(packed_values(filled).tobytes(), preset=9 | lzma.PRESET_EXTREME)


def _unpack(packed: NDArray[np.uint8], count: int) -> NDArray[np.uint8]:
    values = packed[:, np.newaxis] >> np.arange(0, 8, 2, dtype=np.uint8) & np.uint8(3)
    return values.ravel()[:count]


@kernel
def _write_evident(game: Any, words: Any, values: Any) -> None:
    """Write the value of each evident state, and DRAWN for the other states, rows ``(own, opp)`` of ``words``."""
    for i in range(len(words)):
        values[i] = _evident(game, words[i, 0], words[i, 1])


@kernel
def _write_evident_of_class(game: Any, representatives: Any, columns: Any, first: Any, full: Any, values: Any) -> None:
    """Write the result of :func:`evident_values`.

    Args:
        game: The game.
        representatives: The attribute of the :class:`~ci_envs.solver.quixo_ranking.ClassIndex` of the class.
        columns: The attribute of this index.
        first: The first mask of the opponent's cubes: the lowest b bits.
        full: The mask of all cells.
        values: The values, written.
    """
    for row in range(len(representatives)):
        own, mask = representatives[row], first
        for number in range(row * columns, (row + 1) * columns):
            values[number] = _evident(game, own, deposit_bits(mask, full & ~own))
            mask = next_mask(mask)


@kernel
def _evident(game: Any, own: Any, opp: Any) -> Any:
    outcome = result(game, own, opp)
    if outcome != ONGOING:
        return np.uint8(WON if outcome == WIN else LOST)
    for number in range(action_count(game)):
        action = np.uint64(number)
        if legal(game, own, opp, action):
            next_own, next_opp = play(game, own, opp, action)
            if result(game, next_own, next_opp) == LOSS:
                return np.uint8(WON)
    return np.uint8(DRAWN)
