"""The command ``ci-envs book``."""

from pathlib import Path

import click

from ci_envs.cli.errors import usage_errors
from ci_envs.cli.options import file_option
from ci_envs.cli.progress import count_progress
from ci_envs.registry.games import resolve


@click.command()
@click.argument("environment", metavar="ENV")
@click.option("--minutes", type=click.FloatRange(min=0, min_open=True), help="Stop after this time.  [default: never]")
@click.option(
    "--threads", default=1, show_default=True, type=click.IntRange(min=1), help="Number of positions to search at once."
)
@file_option("output", "--output", help="The file of the book.  [default: a file in your cache folder]")
def book(*, environment: str, minutes: float | None, threads: int, output: Path | None) -> None:
    """Extend the opening book of ENV, a game with gravity such as Connect Four.

    An opening book contains the values of positions after at most 8 plies. The command continues the existing book, and
    searches the positions whose values are unknown. You can stop it and start it again at any time. Without --output,
    all commands and agents use the book. The whole book of Connect Four takes some hours.

    \b
    ci-envs book ConnectFour-v0 --minutes 10 --threads 2
    """
    from ci_envs.solver.opening_book import OpeningBook, book_path, check_has_book, extend_book, read_book

    with usage_errors(), count_progress("positions known") as progress:
        _, game, _ = resolve(environment)
        connect_n = check_has_book(game)
        opening_book = read_book(connect_n, output) or OpeningBook(connect_n)
        seconds = None if minutes is None else 60 * minutes
        extend_book(opening_book, output or book_path(game), seconds=seconds, threads=threads, progress=progress)
    click.echo(f"{int(opening_book.known.sum()):,} of {len(opening_book.words):,} positions are known")
