"""The number of cubes that games of Quixo get on the board: ``python -m experiments.cubes_reached FIRST SECOND``.

Two agents play games from positions after random plies, each game once for each seat. The table shows the share of the
games in which a position with at least some number of cubes occurs. Tables of the values can help only in these games.
"""

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from ci_envs import Quixo, make_agent
from ci_envs.agent_interface.decision import decide
from ci_envs.agent_interface.interface import Agent
from ci_envs.games.batch import play_batch
from ci_envs.games.openings import random_openings
from ci_envs.games.operations import ONGOING
from ci_envs.games.truncation import ply_limit
from ci_envs.kernels.bits import bit_counts

GAME = Quixo()


@click.command()
@click.argument("agents", metavar="FIRST SECOND", nargs=2)
@click.option("--games", default=200, show_default=True, type=click.IntRange(min=2), help="Number of games.")
@click.option("--random-plies", default=4, show_default=True, type=click.IntRange(min=0), help="Plies of the openings.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Seed of openings and agents.")
def main(agents: tuple[str, str], games: int, random_plies: int, seed: int) -> None:
    """Play the games and print a table."""
    first, second = (make_agent(spec, GAME, seed=seed + number) for number, spec in enumerate(agents))
    openings = random_openings(GAME, games // 2, random_plies, seed)
    most = np.concatenate([most_cubes(openings, pair) for pair in ((first, second), (second, first))])
    table = Table("cubes", "share of the games", title=" against ".join(agents))
    for cubes in range(18, 26):
        table.add_row(str(cubes), f"{(most >= cubes).mean():.1%}")
    Console(highlight=False).print(table)


def most_cubes(words: NDArray[np.uint64], agents: tuple[Agent, Agent]) -> NDArray[np.uint8]:
    """Play one game from each position, and return the largest number of cubes in each game, uint8 of shape (n,).

    Args:
        words: The positions, rows (own, opp), uint64 of shape (n, 2).
        agents: The agent that moves first, and the other one.
    """
    words = words.copy()
    most, going = np.zeros(len(words), dtype=np.uint8), np.arange(len(words))
    for ply in range(ply_limit(GAME, None)):
        now, outcomes = words[going], np.empty((len(going), 2), dtype=np.int8)
        play_batch(GAME, now, decide(agents[ply % 2], now).actions, outcomes)
        words[going] = now
        most[going] = np.maximum(most[going], bit_counts(now).sum(axis=1))
        going = going[outcomes[:, 0] == ONGOING]
        if len(going) == 0:
            break
    return most


if __name__ == "__main__":
    main()
