"""The command ``ci-envs verify``."""

from functools import cache
from pathlib import Path

import click

from ci_envs.cli.errors import NOTHING_KEPT, interrupt_advice, usage_errors
from ci_envs.cli.options import seed_option
from ci_envs.cli.progress import count_progress


@click.command()
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--blocks",
    default=1,
    show_default=True,
    type=click.IntRange(min=0),
    help="Number of blocks of 200 positions of each environment in which the agent decides again.",
)
@click.option("--trust", is_flag=True, help="You know the code of agents and games in files, modules or programs.")
@seed_option
def verify(*, files: tuple[Path, ...], blocks: int, seed: int, trust: bool) -> None:
    """Verify entries of a leaderboard: files that ci-envs exam --submit has written.

    The skill and the regret must follow from the points that each block of positions lost; the other figures, such as
    intervals and times, are not checked. Then the agent decides again in random blocks of positions, and must lose
    the recorded points. The exit status is 1 if it does not.

    \b
    ci-envs verify docs/leaderboard/random.json
    """
    from ci_envs.suites.folder import read_suite
    from ci_envs.suites.leaderboard import read_entry, repeat_blocks

    different, read = 0, cache(read_suite)
    for file in files:
        with interrupt_advice(NOTHING_KEPT), usage_errors(), count_progress(f"{file.name}: environments") as progress:
            entry = read_entry(file)
            repeated = repeat_blocks(entry, read(entry["suite"], trust=trust), blocks, seed, progress, trust=trust)
        wrong = [each for each in repeated if not each.is_equal]
        different += len(wrong)
        click.echo(f"{file}: {len(repeated) - len(wrong)} of {len(repeated)} blocks are repeated exactly")
        for each in wrong:
            click.echo(
                f"  {each.environment}, block {each.block}: {each.found:g} points lost, {each.recorded:g} recorded"
            )
    if different:
        raise SystemExit(1)
