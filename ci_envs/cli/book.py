"""The command ``ci-envs book``."""

from pathlib import Path

import click

from ci_envs.cli.errors import interrupt_advice, usage_errors
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
    """Extend the opening book of ENV, for example Quarto or a game with gravity such as Connect Four.

    An opening book contains the values of positions after at most 8 or 9 plies. The command continues the existing
    book, and searches the positions whose values are unknown. You can stop it and start it again at any time. Without
    --output, all commands and agents use the book. The whole book of Connect Four takes some hours, that of Quarto
    an hour.

    \b
    ci-envs book ConnectFour-v0 --minutes 10 --threads 2
    """
    from ci_envs.solver.book_solver import extend_book, new_book, read_book
    from ci_envs.solver.opening_book import book_path, write_book

    advice = "Run the same command again to continue."
    with interrupt_advice(advice), usage_errors(), count_progress("positions known") as progress:
        _, game, _ = resolve(environment)
        empty = new_book(game)
        known = read_book(game, output)
        if output and output.is_file() and known is None:
            raise ValueError(f"{str(output)!r} is not an opening book of {game}: choose another file")
        opening_book = known or empty
        try:
            path = output or book_path(game)
            write_book(opening_book, path)
        except OSError as error:
            if output:
                raise
            raise ValueError(f"{error}, or choose a file with --output FILE") from None
        seconds = None if minutes is None else 60 * minutes
        extend_book(opening_book, path, seconds=seconds, threads=threads, progress=progress)
    click.echo(f"{int(opening_book.known.sum()):,} of {len(opening_book.words):,} positions are known")
