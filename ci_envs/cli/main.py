"""The command line ``ci-envs``: a group of commands, one module per command.

A command imports slow modules only when it runs, so ``ci-envs --help`` answers at once.
"""

import click

from ci_envs.cli.accuracy import accuracy
from ci_envs.cli.analyse import analyse
from ci_envs.cli.book import book
from ci_envs.cli.compare import compare
from ci_envs.cli.convert import convert
from ci_envs.cli.errors import OneLineErrorGroup
from ci_envs.cli.exam import exam
from ci_envs.cli.exploit import exploit
from ci_envs.cli.info import info
from ci_envs.cli.list import list_command
from ci_envs.cli.play import play
from ci_envs.cli.plot import plot
from ci_envs.cli.render import render
from ci_envs.cli.reports import reports
from ci_envs.cli.serve import serve
from ci_envs.cli.solve import solve
from ci_envs.cli.suite import suite
from ci_envs.cli.train import train
from ci_envs.cli.verify import verify


@click.group(
    cls=OneLineErrorGroup,
    commands=[
        accuracy,
        analyse,
        book,
        compare,
        convert,
        exam,
        exploit,
        info,
        list_command,
        play,
        plot,
        render,
        reports,
        serve,
        solve,
        suite,
        train,
        verify,
    ],
)
@click.version_option(package_name="ci-envs", prog_name="ci-envs")
def main() -> None:
    """Board games for reinforcement learning, and agents that play them.

    ENV is the id of an environment, for example Quixo-v0 or Quixo-v0:size=4. AGENT is the name of an agent, for example
    random or minimax:depth=4.
    """
