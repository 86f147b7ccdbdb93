"""The strength of Stable-Baselines3's policies, without look-ahead: ``python -m experiments.learning``.

With the default of three seeds it takes about an hour and a half on one core. Options select fewer runs.
"""

import tempfile
import time
from collections.abc import Mapping, Sequence

import click
from rich.console import Console
from rich.table import Table

from ci_envs import make_agent
from ci_envs.arena import play_match
from ci_envs.baselines.config import PRESETS
from ci_envs.registry.games import resolve
from ci_envs.training import train

STEPS: Mapping[str, int] = {"TicTacToe-v0": 1_000_000, "ConnectFour-v0": 82_000, "Quixo-v0": 2_500_000}
"""The number of training steps for each environment."""

OPPONENTS: Mapping[str, Sequence[str]] = {
    "TicTacToe-v0": ("random", "exact"),
    "ConnectFour-v0": ("random", "minimax:depth=2,evaluation=false"),
    "Quixo-v0": ("random", "minimax:depth=1", "minimax:depth=2"),
}
"""The opponents of a trained model in each environment."""

GAMES = 500


@click.command()
@click.option("--algorithm", "algorithms", multiple=True, default=tuple(PRESETS), type=click.Choice(tuple(PRESETS)))
@click.option("--environment", "environments", multiple=True, default=tuple(STEPS), type=click.Choice(tuple(STEPS)))
@click.option("--seeds", default=3, show_default=True, type=click.IntRange(min=1))
def main(algorithms: tuple[str, ...], environments: tuple[str, ...], seeds: int) -> None:
    """Train and measure models; print a line per model as soon as it is measured, and a table at the end."""
    table = Table(title=f"{GAMES} games against each, won / drawn / lost", title_justify="left")
    for column in ("environment", "algorithm", "seed", "steps", "training", "against"):
        table.add_column(column, no_wrap=True)
    for environment in environments:
        for algorithm in algorithms:
            for seed in range(seeds):
                seconds, records = learn(algorithm, environment, seed)
                row = (environment, algorithm, str(seed), f"{STEPS[environment]:,}", f"{seconds:.0f} s", records)
                Console(stderr=True).print(*row)
                table.add_row(*row)
    console = Console()
    console.width = max(console.width, 140)
    console.print(table)


def learn(algorithm: str, environment: str, seed: int) -> tuple[float, str]:
    """Return the seconds of training including evaluation, and the results of the best model."""
    game = resolve(environment)[1]
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        options = {"steps": STEPS[environment], "lookahead": 0}  # measures the policy alone
        best = train(f"sb3:{algorithm}", environment, output=folder, seed=seed, **options)
        seconds = time.perf_counter() - begin
        model = make_agent(best, game, seed=0)
    records = []
    for opponent in OPPONENTS[environment]:
        total = play_match(game, model, make_agent(opponent, game, seed=1), GAMES).sides[0].total
        records.append(f"{opponent} {total.wins}/{total.draws}/{total.losses}")
    return seconds, ", ".join(records)


if __name__ == "__main__":
    main()
