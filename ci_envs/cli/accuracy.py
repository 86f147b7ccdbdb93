"""The command ``ci-envs accuracy``."""

import click

from ci_envs.cli.data_files import DataFiles, data_options
from ci_envs.cli.errors import NOTHING_KEPT, interrupt_advice, usage_errors
from ci_envs.cli.options import seed_option
from ci_envs.cli.progress import count_progress
from ci_envs.registry.games import resolve


@click.command()
@click.argument("environment", metavar="ENV")
@click.argument("agents", metavar="AGENT...", nargs=-1, required=True)
@click.option(
    "--positions",
    "count",
    default=10_000,
    show_default=True,
    type=click.IntRange(min=1),
    help="Number of positions to sample.",
)
@seed_option
@data_options("the results")
def accuracy(*, environment: str, agents: tuple[str, ...], count: int, seed: int, data_files: DataFiles) -> None:
    """Measure agents against the exact solution of ENV, on random positions.

    The positions are a uniform sample of all reachable positions in which the game is not over. If these are too many,
    as in Connect Four, the sample comes from random games.

    ci-envs accuracy Quixo-v0:size=4 random minimax:depth=3
    """
    import numpy as np
    from rich.console import Console

    from ci_envs.arena.accuracy import accuracy_rows, accuracy_table, measure_accuracies
    from ci_envs.arena.tournament import enter
    from ci_envs.solver.reachable import sample_positions
    from ci_envs.solver.solve import solve
    from ci_envs.solver.solver import solver_of

    with interrupt_advice(NOTHING_KEPT), usage_errors():
        _, game, _ = resolve(environment)
        with count_progress("states solved") as progress:
            solution = solve(game, progress=progress)
        entrants = enter(game, agents, seed)
        with count_progress("positions sampled") as progress:
            words = sample_positions(game, count, np.random.default_rng(seed), progress=progress)
    labels, entered = zip(*entrants, strict=True)
    with interrupt_advice(NOTHING_KEPT), count_progress("decisions graded") as progress:
        measured = measure_accuracies(game, entered, words, solution, progress=progress)
    labelled = list(zip(labels, measured, strict=True))
    if not data_files.on_stdout:
        title = f"{environment}: accuracy"
        Console(highlight=False).print(accuracy_table(title, labelled, solver_of(game).sampling_method(game)))
    data_files.write(accuracy_rows(labelled))
