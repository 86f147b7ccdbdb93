"""Evolve a combination of simple rules for Nim, and compare it with the best combinations of the same rules.

Run it with ``python examples/nim_evolution.py``. ``--generations 3`` takes less time. The shares are exact: they are
the shares of the won positions that an agent wins against ``nim_expert``
(:class:`ci_envs.agents.nim.analysis.NimAnalysis`).
"""

from pathlib import Path
from typing import Any

import click
import numpy as np

from ci_envs import Nim
from ci_envs.agents.nim.analysis import NimAnalysis
from ci_envs.agents.nim.evolved import NimEvolvedAgent, action_probabilities
from ci_envs.agents.nim.rules import DETERMINISTIC_RULES
from ci_envs.training import train

FEATURES = ("odd", "single")


@click.command()
@click.option("--generations", default=60, show_default=True, type=click.IntRange(min=1))
@click.option("--output", default="runs/nim_evolution", show_default=True, type=click.Path(path_type=Path))
def main(generations: int, output: Path) -> None:
    """Train ``nim_evolved``, and print the share of won positions that it wins."""
    game = Nim((1, 3, 5, 7))
    options: dict[str, Any] = {"rules": DETERMINISTIC_RULES, "features": FEATURES, "generations": generations}
    _, _, path = train("nim_evolved", "Nim-v0", output=output, measurements=1, **options).partition(":")
    agent = NimEvolvedAgent(game, path)
    analysis = NimAnalysis(game)
    chances = np.zeros((analysis.count, game.action_count))  # the empty position has no actions
    chances[1:] = action_probabilities(game, agent.genome_policy, agent.genome, analysis.words[1:])
    for name, share in (
        ("the evolved combination", analysis.share_won(chances)[0]),
        ("the best rule for each class of positions", analysis.mappings(DETERMINISTIC_RULES, FEATURES)[:, 0].max()),
        ("the best rule in each position", analysis.upper_bound(DETERMINISTIC_RULES)[0]),
    ):
        click.echo(f"{name}: {share:.1%}")
    unsolvable = min((game.sizes(int(word)) for word in analysis.unsolvable_starts(DETERMINISTIC_RULES)), key=sum)
    click.echo(f"The smallest won position in which no rule always wins: {unsolvable}")


if __name__ == "__main__":
    main()
