"""The command ``ci-envs render``."""

from pathlib import Path

import click

from ci_envs.cli.errors import usage_errors
from ci_envs.cli.options import file_option
from ci_envs.registry.games import resolve


@click.command()
@click.argument("environment", metavar="ENV")
@click.argument("text", metavar="[POSITION]", required=False)
@file_option("--output", "-o", required=True, help="Save the picture to a file that ends in .svg or .png.")
def render(environment: str, text: str | None, output: Path) -> None:
    """Draw a POSITION of ENV to a file. Without POSITION, draw the initial position.

    ci-envs render TicTacToe-v0 "X../.O./... X" -o board.svg
    """
    from ci_envs.games.position import Position
    from ci_envs.picture import show

    with usage_errors():
        _, game, _ = resolve(environment)
        position = Position.start(game) if text is None else Position.from_text(game, text)
        show(position).save(output)
