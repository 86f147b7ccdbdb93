"""The command ``ci-envs suite``."""

from pathlib import Path

import click

from ci_envs.cli.errors import interrupt_advice, usage_errors
from ci_envs.cli.options import OUTPUT_FOLDER, seed_option
from ci_envs.cli.progress import count_progress

_DEFAULT_LIMIT = 2000


@click.command()
@click.argument("environments", metavar="[ENV]...", nargs=-1)
@click.option("--output", required=True, metavar="DIR", type=OUTPUT_FOLDER, help="The folder of the suite.")
@click.option(
    "--like",
    metavar="SUITE",
    help="Take the environments and the numbers of positions of a suite: exact-v1, or a folder.",
)
@click.option(
    "--positions",
    "limit",
    type=click.IntRange(min=1),
    help=f"Maximum number of positions of each environment.  [default: {_DEFAULT_LIMIT}]",
)
@seed_option
def suite(*, environments: tuple[str, ...], output: Path, like: str | None, limit: int | None, seed: int) -> None:
    """Make sets of positions with the exact value of every action, for ``ci-envs exam --suite DIR``.

    ENV is the id of any environment whose game has exact values. The positions are from random games and from games
    between agents, without symmetric positions, in equal numbers by phase, value and difficulty. The command keeps the
    sets that the folder has already, so it can be stopped and started again. --like with another seed makes new
    positions of the same kind, which no agent has been trained on.

    \b
    ci-envs suite TicTacToe-v0 Nim-v0 Quixo-v0:size=4 --output small
    ci-envs suite --like small --seed 5 --output fresh
    """
    from ci_envs.suites.folder import make_suite, planned, read_manifest, suite_path

    if bool(environments) == bool(like):
        raise click.UsageError("Give either ENV... or --like SUITE.")
    if like and limit:
        raise click.UsageError("--like has its own numbers of positions: remove --positions.")
    advice = "Run the same command again to continue."
    with interrupt_advice(advice), usage_errors(), count_progress("positions solved") as progress:
        plan = (
            read_manifest(suite_path(like)).plan(seed) if like else planned(environments, limit or _DEFAULT_LIMIT, seed)
        )
        made = make_suite(output, plan, progress)
    for entry in made.sets:
        click.echo(f"{output / entry.file}: {entry.positions:,} positions")
