"""The command ``ci-envs play``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ci_envs.cli.errors import usage_errors
from ci_envs.cli.options import file_option, max_cycles_option, seed_option
from ci_envs.registry.games import resolve

if TYPE_CHECKING:
    from ci_envs.drawing.drawing import Drawing


@click.command()
@click.argument("environment", metavar="ENV")
@click.argument("agents", metavar="AGENT AGENT", nargs=2)
@seed_option
@max_cycles_option
@file_option("--output", "-o", help="Save an animation of the game to a file that ends in .gif or .svg.")
def play(environment: str, agents: tuple[str, str], seed: int, max_cycles: int | None, output: Path | None) -> None:
    """Show one game in ENV. The first AGENT moves first.

    Use the agent human to play yourself.

    \b
    ci-envs play TicTacToe-v0 human minimax:depth=5
    ci-envs play Quixo-v0 random minimax:depth=3 -o game.gif
    """
    from ci_envs.agents.human import HumanAgent
    from ci_envs.arena.tournament import enter
    from ci_envs.arena.watch import Player, watch
    from ci_envs.drawing.picture_file import ANIMATION_FORMATS, check_ending, save_animation
    from ci_envs.games.truncation import ply_limit
    from ci_envs.picture import show

    with usage_errors():
        if output:
            check_ending(output, ANIMATION_FORMATS)
        _, game, options = resolve(environment)
        max_cycles = max_cycles or options.get("max_cycles")
        ply_limit(game, max_cycles)
        entrants = enter(game, agents, seed)
    players = [Player(label, agent, isinstance(agent, HumanAgent)) for label, agent in entrants]
    frames: list[Drawing] = []
    watch(
        game,
        players,
        max_cycles=max_cycles,
        show=click.echo,
        record=lambda position, action: frames.append(show(position, last=action).drawing()),
    )
    if output:
        with usage_errors():
            save_animation(frames, output)
