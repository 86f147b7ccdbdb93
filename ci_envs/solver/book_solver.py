"""Solvers that search positions on demand, from an opening book on, and the making of the books."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import Game
from ci_envs.solver.on_demand import OnDemandSolution
from ci_envs.solver.opening_book import OpeningBook, default_files, write_book
from ci_envs.solver.solution import Progress
from ci_envs.solver.solver import G, Solver, solver_of
from ci_envs.solver.table_file import read_table

_SECONDS_A_FILE = 20.0
_SECONDS_A_REPORT = 0.5


class BookSolver(Solver[G]):
    """Solver that searches positions on demand, from an opening book on."""

    @abstractmethod
    def on_demand(
        self, game: G, *, book: OpeningBook | None = None, progress: Progress | None = None
    ) -> OnDemandSolution:
        """Return the solution of a game that searches each position on demand.

        Args:
            game: The game.
            book: An opening book, or None.
            progress: A function that is called repeatedly with the number of visited positions and None.

        Raises:
            ValueError: The game has no opening book, or is too large.
        """


def book_solver_of(game: Game) -> BookSolver[Any]:
    """Return the solver of a game.

    Raises:
        ValueError: The solver uses no opening book.
    """
    solver = solver_of(game)
    if not isinstance(solver, BookSolver):
        raise ValueError(f"{game} has no opening book: its solver does not search single positions")
    return solver


def new_book(game: Game, bounds: NDArray[np.int8] | None = None) -> OpeningBook:
    """Return a book of a game with the bounds of its first positions, or without knowledge.

    Raises:
        ValueError: The game has no opening book.
    """
    solution = book_solver_of(game).on_demand(game)
    return OpeningBook(game, solution.book_source, solution.book_plies, solution.most, bounds)


def read_book(game: Game, path: Path | None = None) -> OpeningBook | None:
    """Read the book of a game from a file. Return None if there is no file, or, with a warning, if it is damaged.

    Args:
        game: The game.
        path: The path of the file. None combines the included file and the file in the user's cache directory.
    """
    files = (path,) if path else default_files(game)
    tables = [table for file in files if (table := read_table(game, file)) is not None]
    if not tables:
        return None
    # books of several versions can differ in their number of plies, so each is enlarged
    lows, highs = zip(*(new_book(game, table.reshape(2, -1)).bounds for table in tables), strict=True)
    return new_book(game, np.array([np.max(lows, axis=0), np.min(highs, axis=0)]))


def complete_book(game: Game) -> OpeningBook | None:
    """Return the book of a game if all its values are known, or None."""
    book = read_book(game)
    return book if book is not None and book.known.all() else None


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

    solution = book_solver_of(book.game).on_demand(book.game, book=book, progress=check)
    with suppress(_StoppedError):
        for place in places:
            solution.values(book.words[place : place + 1])
