"""Opening books: files with bounds of the search scores of early positions.

A game has a book if its solver searches positions on demand (:mod:`ci_envs.solver.on_demand`). The solver has a
:class:`BookSource`, whose operation :func:`book_key` decides which positions the book contains. Symmetric positions
have one entry. A book can be incomplete: unknown positions are searched.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.game import Game
from ci_envs.games.operations import DRAW, LOSS, ONGOING, WIN, result
from ci_envs.games.position import Position
from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.dispatch import Static, implements, operation
from ci_envs.solver.enumeration import early_positions
from ci_envs.solver.errors import UnknownValueError
from ci_envs.solver.known_value import UNKNOWN, CompiledSource, known_value, known_values
from ci_envs.solver.solution import Solution
from ci_envs.solver.table_file import table_path, write_table

NO_KEY = np.iinfo(np.uint64).max
"""The key of a position that no book contains."""

_FOLDER = Path(__file__).with_name("books")


@dataclass(frozen=True)
class BookSource(Static):
    """The compiled source of a :class:`KnownBook`: ``(source, game, sorted keys, values)``.

    The solver of a game has a subclass, which implements :func:`book_key`.
    """


@operation
def book_key(source: Any, game: Any, own: Any, opp: Any) -> Any:
    """Return a key of an early position that is unique except for symmetric positions, or NO_KEY.

    Books do not contain positions with NO_KEY, because their values are found quickly.
    """


class OpeningBook:
    """Bounds of the scores of a game's early positions.

    A score is a search score (:class:`~ci_envs.solver.on_demand.OnDemandSolution`).

    Attributes:
        game: The game.
        source: The source of the keys.
        plies: The maximum number of plies before a position.
        words: The positions, sorted by the number of plies, rows (own, opp), uint64 of shape (n, 2).
        bounds: The lower and upper bounds of the scores, int8 of shape (2, n).
    """

    def __init__(
        self, game: Game, source: BookSource, plies: int, most: int, bounds: NDArray[np.int8] | None = None
    ) -> None:
        """Make a book.

        Args:
            game: The game.
            source: The source of the keys.
            plies: The maximum number of plies before a position.
            most: A number above all search scores.
            bounds: The bounds of the first positions. Those of the others, or of all with None, are unknown.
        """
        self.game, self.source, self.plies = game, source, plies
        self.words, self._places = _entries(game, source, plies)
        self.bounds = np.tile(np.array([[-most], [most]], dtype=np.int8), len(self.words))
        if bounds is not None:
            count = min(bounds.shape[1], len(self.words))
            self.bounds[:, :count] = bounds[:, :count]

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether the value of each position (won, drawn or lost) is known, bool of shape (n,)."""
        low, high = self.bounds
        known: NDArray[np.bool_] = (low > 0) | (high < 0) | (low == high)
        return known

    def place(self, own: int, opp: int) -> int | None:
        """Return the index of a position, or None if the book does not contain it."""
        key = np.empty(1, dtype=np.uint64)
        _write_keys(self.source, self.game, np.array([[own, opp]], dtype=np.uint64), key)
        return self._places.get(int(key[0]))

    def narrow(self, place: int, low: int, high: int) -> None:
        """Store that the score of a position is between ``low`` and ``high``."""
        self.bounds[:, place] = max(low, int(self.bounds[0, place])), min(high, int(self.bounds[1, place]))


@lru_cache(maxsize=2)
def _entries(game: Game, source: BookSource, plies: int) -> tuple[NDArray[np.uint64], dict[int, int]]:
    """Return the positions of the book of a game, and the index of each key."""
    words = early_positions(game, plies)
    keys = np.empty(len(words), dtype=np.uint64)
    _write_keys(source, game, words, keys)
    keys, words = keys[keys != NO_KEY], words[keys != NO_KEY]
    return words, dict(zip(keys.tolist(), range(len(keys)), strict=True))


def default_files(game: Game) -> Iterator[Path]:
    """Yield the paths of the book in the package and of that in the user's cache directory, if there is one."""
    yield _FOLDER / f"{game}.book"
    with suppress(OSError):  # the user has no home directory
        yield book_path(game)


def write_book(book: OpeningBook, path: Path) -> None:
    """Write a book to a file.

    Raises:
        OSError: The file cannot be written.
    """
    write_table(book.game, book.bounds.ravel(), path, level=9)


def book_path(game: Game) -> Path:
    """Return the path of a game's book in the user's cache directory.

    Raises:
        OSError: The user has no home directory.
    """
    return table_path(game).with_suffix(".book")


class KnownBook(Solution):
    """The values that a book knows, without any search. It covers a position if it knows all positions after it."""

    def __init__(self, book: OpeningBook) -> None:
        super().__init__(book.game)
        self._source, self._plies = book.source, book.plies
        keys = np.empty(len(book.words), dtype=np.uint64)
        _write_keys(book.source, book.game, book.words, keys)
        low, high = book.bounds.astype(np.int64)
        values = np.where(low > 0, WIN, np.where(high < 0, LOSS, DRAW)).astype(np.int8)
        order = np.argsort(keys[book.known])
        self._keys, self._values = keys[book.known][order], values[book.known][order]

    @override
    def compiled(self) -> CompiledSource:
        return self._source, self.game, self._keys, self._values

    @override
    def covers(self, words: NDArray[np.uint64]) -> NDArray[np.bool_]:
        return np.array([self._knows_followers(Position(self.game, *row)) for row in words.tolist()], np.bool_)

    def _knows_followers(self, position: Position) -> bool:
        followers = [position.play(action) for action in position.legal_actions()]
        words = np.array([(each.own, each.opp) for each in (position, *followers)], np.uint64)
        return bool((known_values(self.compiled(), words) != UNKNOWN).all())

    @override
    def scores(self, words: NDArray[np.uint64]) -> NDArray[np.int16]:
        values = known_values(self.compiled(), words)
        if (values == UNKNOWN).any():
            raise UnknownValueError(f"the opening book of {self.game} does not contain a position")
        return values

    @override
    def why_unknown(self, position: Position) -> str:
        return f"the opening book does not contain the position, or one after it; it has {self._plies} plies"


@implements(known_value, BookSource)
def _(source: BookSource) -> Any:
    def kernel(source: Any, own: Any, opp: Any) -> Any:
        static, game, keys, values = source
        outcome = np.int64(result(game, own, opp))
        if outcome != ONGOING:
            return outcome
        key = book_key(static, game, own, opp)
        first, end = 0, len(keys)
        while first < end:
            middle = (first + end) // 2
            if keys[middle] < key:
                first = middle + 1
            else:
                end = middle
        return np.int64(values[first]) if first < len(keys) and keys[first] == key else UNKNOWN

    return kernel


@kernel
def _write_keys(source: Any, game: Any, words: Any, keys: Any) -> None:
    """Write the key of each position, or NO_KEY."""
    for i in range(len(words)):
        keys[i] = book_key(source, game, words[i, 0], words[i, 1])
