"""The command ``ci-envs play``."""

import click

from ci_envs.cli.errors import usage_errors
from ci_envs.cli.options import max_cycles_option, seed_option
from ci_envs.registry import resolve
from ci_envs.spec import split_spec


@click.command()
@click.argument("environment", metavar="ENV")
@click.argument("agents", metavar="AGENT AGENT", nargs=2)
@seed_option
@max_cycles_option
def play(environment: str, agents: tuple[str, str], seed: int, max_cycles: int | None) -> None:
    """Show one game in ENV. The first AGENT moves first.

    Use the agent ``human`` to play yourself.

    ci-envs play TicTacToe-v0 human minimax:depth=5
    """
    from ci_envs.arena.tournament import enter
    from ci_envs.arena.watch import Player, watch
    from ci_envs.games.truncation import ply_limit

    with usage_errors():
        _, game, options = resolve(environment)
        max_cycles = max_cycles or options.get("max_cycles")
        ply_limit(game, max_cycles)
        entrants = enter(game, agents, seed)
    players = [
        Player(entrant.label, entrant.agent, split_spec(spec)[0] == "human")
        for entrant, spec in zip(entrants, agents, strict=True)
    ]
    watch(game, players, max_cycles=max_cycles, show=click.echo)
