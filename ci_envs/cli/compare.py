"""The command ``ci-envs compare``."""

from pathlib import Path
from typing import Any

import click

from ci_envs.cli.data_files import DataFiles, data_options
from ci_envs.cli.errors import cluster_errors, interrupt_advice, usage_errors, write_each
from ci_envs.cli.options import (
    OUTPUT_FOLDER,
    file_option,
    isolation_options,
    max_cycles_option,
    ray_options,
    seed_option,
)
from ci_envs.cli.progress import games_progress


@click.command()
@click.argument("environment", metavar="ENV")
@click.argument("agents", metavar="AGENT...", nargs=-1)
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
    help="Number of actions of each agent in a match to compare with the exact values."
    "  [default: all whose values are found in milliseconds; Connect Four: none]",
)
@click.option(
    "--agents-from",
    "folders",
    metavar="FOLDER",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Enter the agent of every file in FOLDER that is a Python file or a trained agent.",
)
@isolation_options
@click.option("--output", metavar="DIR", type=OUTPUT_FOLDER, help="Keep each finished match in DIR.")
@click.option("--resume", is_flag=True, help="Continue the tournament in the folder of --output.")
@ray_options("play the matches; the results stay the same")
@data_options("the results")
@file_option("plot_path", "--plot", help="Draw ratings and scores to a file that ends in .png, .svg or .pdf.")
@file_option("page_path", "--report", help="Write one HTML page with all results, faults and a replay of lost games.")
def compare(
    *,
    environment: str,
    agents: tuple[str, ...],
    data_files: DataFiles,
    plot_path: Path | None,
    page_path: Path | None,
    folders: tuple[Path, ...],
    output: Path | None,
    resume: bool,
    **options: Any,
) -> None:
    """Compare agents: every pair plays a match in ENV. A single AGENT plays against random.

    AGENT is also a function, class or object of any Python file or module, or a program in any language. JSON contains
    all results. CSV contains a row for each agent, with its rating, its record and its faults.

    \b
    ci-envs compare Quixo-v0 random minimax:depth=3
    ci-envs compare Quixo-v0 sb3:quixo mine.py:agent --isolate
    ci-envs compare Quixo-v0 random 'process:./my_program'
    """
    from rich.console import Console

    from ci_envs.agent_interface.agent_files import agents_of
    from ci_envs.arena.plot import draw_comparison
    from ci_envs.arena.report import agent_rows, tables, to_json
    from ci_envs.arena.report_page import report_page
    from ci_envs.arena.second_process import compiled_by_two_processes
    from ci_envs.arena.tournament import Tournament
    from ci_envs.drawing.figure_file import check_figure_ending, figure_type, write_figure
    from ci_envs.storage.files import write_whole

    # an agent can change the current folder before the files are written
    plot_path, page_path = (path and path.absolute() for path in (plot_path, page_path))
    with usage_errors():
        if plot_path:
            figure_type()  # a missing package is reported before the games are played
            check_figure_ending(plot_path)
        agents = (*agents, *(spec for folder in folders for spec in agents_of(folder)))
        if not agents:
            raise ValueError("give an AGENT or --agents-from FOLDER")
        entrants = ("random", *agents) if len(agents) == 1 else agents
        tournament = Tournament(environment, entrants, **options)
    again = f"Run the same command with --resume to continue in {str(output)!r}."
    advice = again if output else "With --output DIR, DIR keeps the finished matches."
    progress = games_progress(tournament.total_games)
    compilation = compiled_by_two_processes(environment, entrants)
    with interrupt_advice(advice), cluster_errors(), usage_errors(), compilation, progress as (games, graded):
        comparison = tournament.play(games, graded, output=output, resume=resume)
    if not data_files.on_stdout:
        Console(highlight=False).print(tables(comparison))
    write_each(
        lambda: data_files.write(to_json(comparison), agent_rows(comparison)),
        lambda: write_figure(draw_comparison(comparison), plot_path) if plot_path else None,
        lambda: write_whole(page_path, report_page(comparison).encode()) if page_path else None,
    )
