"""The command ``ci-envs compare``."""

from pathlib import Path

import click

from ci_envs.cli.errors import usage_errors
from ci_envs.cli.options import file_option, json_option, max_cycles_option, seed_option
from ci_envs.cli.progress import games_progress


@click.command()
@click.argument("environment", metavar="ENV")
@click.argument("agents", metavar="AGENT...", nargs=-1, required=True)
@click.option(
    "--games",
    default=100,
    show_default=True,
    type=click.IntRange(min=2),
    help="Games per pair of agents; the agents swap seats.",
)
@seed_option
@max_cycles_option
@click.option(
    "--random-plies",
    default=0,
    show_default=True,
    type=click.IntRange(min=0),
    help="Start each pair of games with this number of random plies, the same in both games.",
)
@click.option(
    "--graded",
    type=click.IntRange(min=0),
    help="Actions of each agent in a match to grade by the exact answer.  [default: all; Connect Four: none]",
)
@json_option("Write all results to FILE; - prints them instead of the tables.")
@file_option("plot_path", "--plot", help="Draw ratings and scores to a file that ends in .png, .svg or .pdf.")
def compare(
    *,
    environment: str,
    agents: tuple[str, ...],
    games: int,
    seed: int,
    max_cycles: int | None,
    random_plies: int,
    graded: int | None,
    json_path: Path | None,
    plot_path: Path | None,
) -> None:
    """Compare agents: every pair plays a match in ENV. A single AGENT plays against random.

    \b
    ci-envs compare Quixo-v0 random minimax:depth=3
    """
    from importlib import import_module

    from rich.console import Console

    from ci_envs.arena.plot import draw_comparison
    from ci_envs.arena.report import json_text, tables, write_json
    from ci_envs.arena.tournament import Tournament
    from ci_envs.drawing.figure_file import check_figure_ending, write_figure

    to_stdout = str(json_path) == "-"
    with usage_errors():
        if plot_path:
            import_module("matplotlib")  # a missing package is reported before the games are played
            check_figure_ending(plot_path)
        entrants = ("random", *agents) if len(agents) == 1 else agents
        tournament = Tournament(
            environment,
            entrants,
            games=games,
            seed=seed,
            max_cycles=max_cycles,
            random_plies=random_plies,
            graded=graded,
        )
    with games_progress(tournament.total_games) as report:
        comparison = tournament.play(report)
    if plot_path:
        write_figure(draw_comparison(comparison), plot_path)
    if to_stdout:
        click.echo(json_text(comparison))
        return
    Console(highlight=False).print(tables(comparison))
    if json_path:
        write_json(comparison, json_path)
