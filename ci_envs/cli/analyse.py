"""The command ``ci-envs analyse``."""

import click

from ci_envs.cli.data_files import DataFiles, data_options
from ci_envs.cli.errors import usage_errors
from ci_envs.cli.options import seed_option
from ci_envs.cli.progress import count_progress
from ci_envs.registry.games import resolve


@click.command()
@click.argument("environment", metavar="ENV")
@click.argument("text", metavar="POSITION")
@click.argument("spec", metavar="AGENT")
@seed_option
@data_options("the analysis")
def analyse(*, environment: str, text: str, spec: str, seed: int, data_files: DataFiles) -> None:
    """Show the analysis of a POSITION of ENV by AGENT, with a row for each action.

    The table also shows the exact value of each action if the position can be solved quickly. JSON contains the whole
    analysis. CSV contains the table.

    ci-envs analyse TicTacToe-v0 "XX./OO./... X" minimax:depth=9
    """
    from rich.console import Console

    from ci_envs.agent_interface.capabilities import as_analyst
    from ci_envs.agent_interface.making import make_agent
    from ci_envs.arena.analysis import action_rows, action_table, analysis_data, exact_scores, summary
    from ci_envs.games.position import Position

    with usage_errors():
        _, game, _ = resolve(environment)
        position = Position.from_text(game, text)
        agent = make_agent(spec, game, seed=seed)
        if position.result is not None:
            raise ValueError(f"the game is over in {text!r}: there is nothing to analyse")
        analyst = as_analyst(agent, spec)
    analysis = analyst.analyse(position)
    with count_progress("states solved") as progress:
        exact = exact_scores(position, progress)
    if not data_files.on_stdout:
        click.echo(position.diagram())
        Console(highlight=False).print(summary(analysis, position), action_table(analysis, position, exact), sep="\n")
    data_files.write(analysis_data(analysis, position, exact), action_rows(analysis, position, exact))
