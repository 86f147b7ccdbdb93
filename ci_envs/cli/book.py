"""The command ``ci-envs book``."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ci_envs.cli.errors import interrupt_advice, usage_errors
from ci_envs.cli.options import file_option
from ci_envs.cli.progress import count_progress
from ci_envs.registry.games import resolve

if TYPE_CHECKING:
    from ci_envs.games.game import Game
    from ci_envs.solver.opening_book import OpeningBook


@click.command()
@click.argument("environment", metavar="ENV")
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), help="Stop after this time.  [default: never]")
@click.option(
    "--threads", default=1, show_default=True, type=click.IntRange(min=1), help="Number of positions to search at once."
)
@file_option("output", "--output", help="The file of the book.  [default: a file in your cache folder]")
def book(*, environment: str, minutes: float | None, threads: int, output: Path | None) -> None:
    """Extend the opening book of ENV, for example Quarto or a game with gravity such as Connect Four.

    An opening book contains the values of positions after at most 8 or 9 plies. The command continues the existing
    book, and searches the positions whose values are unknown. You can stop it and start it again at any time. Without
    --output, all commands and agents use the book. The whole book of Connect Four takes some hours, that of Quarto
    an hour.

    \b
    ci-envs book ConnectFour-v0 --minutes 10 --threads 2
    """
    from ci_envs.solver.book_solver import extend_book, new_book
    from ci_envs.solver.opening_book import book_path, write_book
    from ci_envs.storage.locks import locked_file

    advice = "Run the same command again to continue."
    with interrupt_advice(advice), usage_errors(), count_progress("positions known") as progress:
        _, game, _ = resolve(environment)
        new_book(game)  # a game without a book is named first
        with _named_default(output):
            path = output or book_path(game)
            path.parent.mkdir(parents=True, exist_ok=True)
        with locked_file(path, "extends the book"):
            opening_book = _book_of(game, output)
            with _named_default(output):
                write_book(opening_book, path)
            seconds = None if minutes is None else 60 * minutes
            extend_book(opening_book, path, seconds=seconds, threads=threads, progress=progress)
    click.echo(f"{int(opening_book.known.sum()):,} of {len(opening_book.words):,} positions are known")


def _book_of(game: "Game", path: Path | None) -> "OpeningBook":
    """Return the book in a file, or that of the package and the user without a path. It is empty if there is none.

    Raises:
        ValueError: The file is no book of the game.
    """
    from ci_envs.solver.book_solver import new_book, read_book

    known = read_book(game, path)
    if path and path.is_file() and known is None:
        raise ValueError(f"{str(path)!r} is not an opening book of {game}: choose another file")
    return known or new_book(game)


@contextmanager
def _named_default(output: Path | None) -> Iterator[None]:
    """Add advice to an error of the file in the cache folder."""
    try:
        yield
    except OSError as error:
        if output:
            raise
        raise ValueError(f"{error}, or choose a file with --output FILE") from None
