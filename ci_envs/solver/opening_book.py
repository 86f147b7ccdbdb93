"""Opening books of the games with gravity: files with bounds of the scores of early positions.

A book contains bounds of the score of each early position in which no player can complete a line immediately. A
position and its mirror image have one entry. A book can be incomplete: unknown positions are searched.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.games.operations import DRAW, LOSS, ONGOING, WIN, canonical, result
from ci_envs.games.position import Position
from ci_envs.kernels.compiler import inlined, kernel
from ci_envs.kernels.dispatch import Static, implements
from ci_envs.solver.enumeration import early_positions
from ci_envs.solver.errors import UnknownValueError
from ci_envs.solver.gravity import GravitySolution, by_columns, check_fits, completing, next_cells
from ci_envs.solver.known_value import UNKNOWN, CompiledSource, known_value, known_values
from ci_envs.solver.solution import Progress, Solution
from ci_envs.solver.table_file import read_table, table_path, write_table

PLIES = 8
"""Maximum number of plies before a position of a book."""

_FOLDER = Path(__file__).with_name("books")
_NO_KEY = np.iinfo(np.uint64).max
_SECONDS_A_FILE = 20.0
_SECONDS_A_REPORT = 0.5


class OpeningBook:
    """Bounds of the scores of a game's early positions.

    A score is that of :meth:`GravitySolution.stones_left`.

    Attributes:
        game: The game.
        words: The positions, sorted by the number of plies, rows (own, opp), uint64 of shape (n, 2).
        bounds: The lower and upper bounds of the scores, int8 of shape (2, n).
    """

    def __init__(self, game: ConnectN, bounds: NDArray[np.int8] | None = None) -> None:
        """Make a book.

        Args:
            game: The game.
            bounds: See :attr:`bounds`. None makes a book without knowledge.
        """
        self.game = game
        words = early_positions(game, PLIES)
        keys = np.empty(len(words), dtype=np.uint64)
        _write_keys(game, words, keys)
        self.words, keys = words[keys != _NO_KEY], keys[keys != _NO_KEY]
        self._places = dict(zip(keys.tolist(), range(len(keys)), strict=True))
        most = game.rows * game.cols
        self.bounds = np.tile(np.array([[-most], [most]], dtype=np.int8), len(keys)) if bounds is None else bounds

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether the value of each position (won, drawn or lost) is known, bool of shape (n,)."""
        low, high = self.bounds
        known: NDArray[np.bool_] = (low > 0) | (high < 0) | (low == high)
        return known

    def place(self, own: int, opp: int) -> int | None:
        """Return the index of a position, or None if the book does not contain it."""
        key = np.empty(1, dtype=np.uint64)
        _write_keys(self.game, np.array([[own, opp]], dtype=np.uint64), key)
        return self._places.get(int(key[0]))

    def knows(self, position: Position) -> bool:
        """Return whether the value of a position (won, drawn or lost) is known."""
        place = self.place(position.own, position.opp)
        return place is not None and bool(self.known[place])

    def narrow(self, place: int, low: int, high: int) -> None:
        """Store that the score of a position is between ``low`` and ``high``."""
        self.bounds[:, place] = max(low, int(self.bounds[0, place])), min(high, int(self.bounds[1, place]))


def check_has_book(game: Game) -> ConnectN:
    """Return ``game`` if it can have a book.

    Raises:
        ValueError: The game has no gravity, or is too large to search.
    """
    if not isinstance(game, ConnectN) or not game.gravity:
        raise ValueError(f"only games with gravity such as ConnectFour-v0 have opening books, not {game}")
    check_fits(game)
    return game


def read_book(game: ConnectN, path: Path | None = None) -> OpeningBook | None:
    """Read the book of a game from a file. Return None if there is no file, or, with a warning, if it is damaged.

    Args:
        game: The game.
        path: The path of the file. None combines the included file and the file in the user's cache directory.
    """
    files = (path,) if path else _default_files(game)
    books = [bounds.reshape(2, -1) for file in files if (bounds := read_table(game, file)) is not None]
    if not books:
        return None
    lows, highs = zip(*books, strict=True)
    return OpeningBook(game, np.array([np.max(lows, axis=0), np.min(highs, axis=0)]))


def _default_files(game: ConnectN) -> Iterator[Path]:
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


class BookSolution(GravitySolution):
    """The solution of a game with gravity by a book for early positions and by searches that end in the book."""

    def __init__(self, game: ConnectN, book: OpeningBook, *, progress: Progress | None = None) -> None:
        """Make the solution.

        Args:
            game: The game.
            book: The book of the game. Results for its positions are added to it.
            progress: A function that is called repeatedly with the number of searched positions and None.
        """
        super().__init__(game, progress=progress)
        self.book = book

    @override
    def stones_left(self, own: int, opp: int, low: int, high: int) -> int:
        plies = (own | opp).bit_count()
        if plies > PLIES:
            return super().stones_left(own, opp, low, high)
        if self._progress:
            self._progress(self.nodes, None)
        place = self.book.place(own, opp)
        if place is not None:
            least, most = self.book.bounds[:, place].tolist()
            low, high = min(max(low, least), most), max(min(high, most), least)
            if low == high:
                return low
        search = super().stones_left if plies == PLIES else self._best_of_actions
        score = search(own, opp, low, high)
        if place is not None:
            most = self.game.rows * self.game.cols
            self.book.narrow(place, -most if score <= low else score, most if score >= high else score)
        return score

    def _best_of_actions(self, own: int, opp: int, low: int, high: int) -> int:
        """Return the score of a position from the scores after its actions, clipped to ``low`` and ``high``."""
        position, best, middle = Position(self.game, own, opp), low, (self.game.cols - 1) / 2
        nearest_first = sorted(position.legal_actions(), key=lambda column: abs(column - middle))
        for follower in sorted(map(position.play, nearest_first), key=self._promise, reverse=True):
            if follower.result is None:
                score = -self.stones_left(follower.own, follower.opp, -high, -best)
            else:
                score = -follower.result * ((self.game.rows * self.game.cols - (own | opp).bit_count() + 1) // 2)
            best = max(best, min(score, high))
            if best == high:
                break
        return best

    def _promise(self, follower: Position) -> int:
        """Return a value for move ordering from the book's bounds, for the player who moved last."""
        place = self.book.place(follower.own, follower.opp)
        return 0 if place is None else -int(self.book.bounds[:, place].sum())


class KnownBook(Solution):
    """The values that a book knows, without any search. It covers a position if it knows all positions after it."""

    game: ConnectN

    def __init__(self, book: OpeningBook) -> None:
        super().__init__(book.game)
        keys = np.empty(len(book.words), dtype=np.uint64)
        _write_keys(book.game, book.words, keys)
        low, high = book.bounds.astype(np.int64)
        values = np.where(low > 0, WIN, np.where(high < 0, LOSS, DRAW)).astype(np.int8)
        order = np.argsort(keys[book.known])
        self._keys, self._values = keys[book.known][order], values[book.known][order]

    @override
    def compiled(self) -> CompiledSource:
        return BookSource(), self.game, self._keys, self._values

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
        return f"the opening book does not contain the position, or one after it; it has {PLIES} plies"


@dataclass(frozen=True)
class BookSource(Static):
    """The compiled source of a :class:`KnownBook`: ``(BookSource(), game, sorted keys, values)``."""


@implements(known_value, BookSource)
def _(source: BookSource) -> Any:
    def kernel(source: Any, own: Any, opp: Any) -> Any:
        _, game, keys, values = source
        outcome = np.int64(result(game, own, opp))
        if outcome != ONGOING:
            return outcome
        key = _key(game, own, opp)
        first, end = 0, len(keys)
        while first < end:
            middle = (first + end) // 2
            if keys[middle] < key:
                first = middle + 1
            else:
                end = middle
        return np.int64(values[first]) if first < len(keys) and keys[first] == key else UNKNOWN

    return kernel


def extend_book(
    book: OpeningBook,
    path: Path,
    *,
    seconds: float | None = None,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Find unknown values of the positions of a book, in the order of their plies.

    The book is written to its file every 20 seconds and at the end, also after an interrupt.

    Args:
        book: The book.
        path: The path of its file.
        seconds: The time limit in seconds. None means no limit.
        threads: The number of positions that are searched at the same time.
        progress: A function that is called repeatedly with the number of known positions and of all positions.

    Raises:
        OSError: The file cannot be written.
    """
    deadline = float("inf") if seconds is None else monotonic() + seconds
    stop = Event()
    unknown = iter(np.flatnonzero(~book.known).tolist())
    with ThreadPoolExecutor(threads) as pool:
        workers = [pool.submit(_find_values, book, unknown, deadline, stop) for _ in range(threads)]
        try:
            running, written = set(workers), monotonic()
            while running:
                running = wait(running, timeout=_SECONDS_A_REPORT).not_done
                if progress:
                    progress(int(book.known.sum()), len(book.words))
                if monotonic() - written > _SECONDS_A_FILE:
                    write_book(book, path)
                    written = monotonic()
        finally:
            stop.set()
            wait(workers)
            write_book(book, path)
    for worker in workers:
        worker.result()


class _StoppedError(Exception):
    """An exception that stops a search."""


def _find_values(book: OpeningBook, places: Iterator[int], deadline: float, stop: Event) -> None:
    """Search positions of a book until all are known, the deadline has passed, or ``stop`` is set."""

    def check(_done: int, _total: int | None) -> None:
        if stop.is_set() or monotonic() > deadline:
            raise _StoppedError

    solution = BookSolution(book.game, book, progress=check)
    with suppress(_StoppedError):
        for place in places:
            solution.values(book.words[place : place + 1])


@kernel
def _write_keys(game: Any, words: Any, keys: Any) -> None:
    """Write a key for each position that is unique except for mirror images, or _NO_KEY.

    _NO_KEY means that a player can complete a line immediately.
    """
    for i in range(len(words)):
        keys[i] = _key(game, words[i, 0], words[i, 1])


@inlined
def _key(game: Any, first: Any, second: Any) -> Any:
    own, opp = canonical(game, first, second)
    own, mask = by_columns(game, own), by_columns(game, own | opp)
    decided = (completing(game, own) | completing(game, own ^ mask)) & next_cells(game, mask)
    return np.uint64(_NO_KEY) if decided else own + mask
