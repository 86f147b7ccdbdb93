"""Opening books of the games with gravity: what is known of the scores of their first positions, in a file.

A book holds bounds of the score of every position of the first plies in which no player can complete a line at once,
once for a position and its mirror image. So it can be partly made: what is unknown is searched.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.games.connect_n import ConnectN
from ci_envs.games.game import Game
from ci_envs.games.operations import canonical
from ci_envs.games.position import Position
from ci_envs.kernels.compiler import kernel
from ci_envs.solver.enumeration import early_positions
from ci_envs.solver.gravity import GravitySolution, by_columns, check_fits, completing, next_cells
from ci_envs.solver.solution import Progress
from ci_envs.solver.table_file import read_table, table_path, write_table

PLIES = 8
"""A book has positions after at most this many plies."""

_FOLDER = Path(__file__).with_name("books")
_NO_KEY = np.iinfo(np.uint64).max
_SECONDS_A_FILE = 20.0
_SECONDS_A_REPORT = 0.5


class OpeningBook:
    """Bounds of the scores of a game's first positions.

    A score is that of :meth:`GravitySolution.stones_left`.

    Attributes:
        game: The game.
        words: The positions, in the order of their plies, rows (own, opp), uint64 of shape (n, 2).
        bounds: The least and the greatest score that each can have, int8 of shape (2, n).
    """

    def __init__(self, game: ConnectN, bounds: NDArray[np.int8] | None = None) -> None:
        """Make a book.

        Args:
            game: The game.
            bounds: See :attr:`bounds`; None is a book of which nothing is known.
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
        """The positions that are known to be won, drawn or lost, bool of shape (n,)."""
        low, high = self.bounds
        known: NDArray[np.bool_] = (low > 0) | (high < 0) | (low == high)
        return known

    def place(self, own: int, opp: int) -> int | None:
        """Return the number of a position, or None if the book does not have it."""
        key = np.empty(1, dtype=np.uint64)
        _write_keys(self.game, np.array([[own, opp]], dtype=np.uint64), key)
        return self._places.get(int(key[0]))

    def knows(self, position: Position) -> bool:
        """Return whether a position is known to be won, drawn or lost."""
        place = self.place(position.own, position.opp)
        return place is not None and bool(self.known[place])

    def narrow(self, place: int, low: int, high: int) -> None:
        """Enter that the score of a position is from ``low`` to ``high``."""
        self.bounds[:, place] = max(low, int(self.bounds[0, place])), min(high, int(self.bounds[1, place]))


def check_has_book(game: Game) -> ConnectN:
    """Return ``game`` if it can have a book.

    Raises:
        ValueError: It is not a game with gravity, or too large to search.
    """
    if not isinstance(game, ConnectN) or not game.gravity:
        raise ValueError(f"only games with gravity such as ConnectFour-v0 have opening books, not {game}")
    check_fits(game)
    return game


def read_book(game: ConnectN, path: Path | None = None) -> OpeningBook | None:
    """Return the book of a game that a file holds, or None if there is none.

    A damaged file counts as none, with a warning.

    Args:
        game: The game.
        path: The file; None are the one of the package and the one in the user's cache directory together.
    """
    files = (path,) if path else (_FOLDER / book_path(game).name, book_path(game))
    books = [bounds.reshape(2, -1) for file in files if (bounds := read_table(game, file)) is not None]
    if not books:
        return None
    lows, highs = zip(*books, strict=True)
    return OpeningBook(game, np.array([np.max(lows, axis=0), np.min(highs, axis=0)]))


def write_book(book: OpeningBook, path: Path) -> None:
    """Write a book to a file.

    Raises:
        OSError: It cannot be written.
    """
    write_table(book.game, book.bounds.ravel(), path, level=9)


def book_path(game: Game) -> Path:
    """Return where the book of a game is kept in the user's cache directory."""
    return table_path(game).with_suffix(".book")


class BookSolution(GravitySolution):
    """Positions of a game with gravity: the first ones by a book, and by searches that end in it."""

    def __init__(self, game: ConnectN, book: OpeningBook, *, progress: Progress | None = None) -> None:
        """Make the solution.

        Args:
            game: The game.
            book: Its book. What is learned about its positions is entered.
            progress: Called now and then with the number of positions searched and None.
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
        """Return the score of a position by those after its actions, clipped to ``low`` and ``high``."""
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
        """Return how good a position is, by what the book knows, for who has moved there."""
        place = self.book.place(follower.own, follower.opp)
        return 0 if place is None else -int(self.book.bounds[:, place].sum())


def extend_book(
    book: OpeningBook,
    path: Path,
    *,
    seconds: float | None = None,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Find the values of the positions of a book that are unknown, those after fewest plies first.

    The book is written to its file every 20 seconds and at the end, also after an interrupt.

    Args:
        book: The book.
        path: Its file.
        seconds: How long to work; None is to the end.
        threads: The number of positions searched at the same time.
        progress: Called now and then with the number of known and of all positions.

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
    """Ends a search."""


def _find_values(book: OpeningBook, places: Iterator[int], deadline: float, stop: Event) -> None:
    """Search positions of a book until there are no more, the deadline has passed, or ``stop`` is set."""

    def check(_done: int, _total: int | None) -> None:
        if stop.is_set() or monotonic() > deadline:
            raise _StoppedError

    solution = BookSolution(book.game, book, progress=check)
    with suppress(_StoppedError):
        for place in places:
            solution.values(book.words[place : place + 1])


@kernel
def _write_keys(game: Any, words: Any, keys: Any) -> None:
    """Write a number that tells each position from all others but its mirror image, or _NO_KEY.

    The latter stands for a position in which a player can complete a line at once.
    """
    for i in range(len(words)):
        own, opp = canonical(game, words[i, 0], words[i, 1])
        own, mask = by_columns(game, own), by_columns(game, own | opp)
        decided = (completing(game, own) | completing(game, own ^ mask)) & next_cells(game, mask)
        keys[i] = np.uint64(_NO_KEY) if decided else own + mask
