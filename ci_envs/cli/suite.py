"""The command ``ci-envs suite``."""

from pathlib import Path

import click

from ci_envs.cli.errors import interrupt_advice, usage_errors
from ci_envs.cli.options import seed_option
from ci_envs.cli.progress import count_progress


@click.command()
@click.argument("environments", metavar="ENV...", nargs=-1, required=True)
@click.option(
    "--output", required=True, metavar="DIR", type=click.Path(path_type=Path), help="The folder of the Parquet files."
)
@click.option(
    "--positions",
    "count",
    default=2000,
    show_default=True,
    type=click.IntRange(min=1),
    help="Maximum number of positions of each environment.",
)
@seed_option
def suite(*, environments: tuple[str, ...], output: Path, count: int, seed: int) -> None:
    """Make sets of positions with the exact value of every action, for ``ci-envs exam --suite DIR``.

    ENV is the id of any environment whose game has exact values. The positions are from random games and from games
    between agents, without symmetric positions, in equal numbers by phase, value and difficulty. The command keeps the
    files that the folder has already, so it can be stopped and started again.

    \b
    ci-envs suite TicTacToe-v0 Nim-v0 Quixo-v0:size=4 --output small
    """
    from ci_envs.suites.folder import make_suite

    advice = "Run the same command again to continue."
    with interrupt_advice(advice), usage_errors(), count_progress("positions solved") as progress:
        written = make_suite(output, environments, count, seed, progress)
    for path, number in written:
        click.echo(f"{path}: {number:,} positions")
