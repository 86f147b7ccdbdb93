"""The gain of agents by tables of Quixo: ``python -m experiments.table_gain DIR AGENT...``.

Each agent with the tables of a store plays against the same agent without tables. The games begin in positions of
random play with a certain number of cubes on the board, each once for each seat. ``ci-envs solve Quixo-v0 --store DIR
--cubes 22`` computes the tables.
"""

from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from ci_envs import Position, Quixo, make_agent
from ci_envs.agent_interface.observations import observations_of
from ci_envs.arena.match import play_match
from ci_envs.arena.ratings import wilson_interval

GAME = Quixo()


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("agents", metavar="AGENT...", nargs=-1, required=True)
@click.option("--cubes", default=20, show_default=True, type=click.IntRange(1, 25), help="Cubes in the first position.")
@click.option("--games", default=400, show_default=True, type=click.IntRange(min=2), help="Games for each agent.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Seed of positions and agents.")
def main(folder: Path, agents: tuple[str, ...], cubes: int, games: int, seed: int) -> None:
    """Play the matches and print a table."""
    openings = random_positions(cubes, games // 2, np.random.default_rng(seed))
    table = Table("agent", "won", "drawn", "lost", "won % (95%)", "lost % (95%)", "ms an action")
    for spec in agents:
        tabled = f"{spec}{',' if ':' in spec else ':'}exact={folder}"
        pair = [make_agent(one, GAME, seed=seed + number) for number, one in enumerate((tabled, spec))]
        for number, agent in enumerate(pair):
            agent.act_batch(observations_of(GAME, openings[:1]))  # compile before the clock starts
            agent.reseed(seed + number)
        match = play_match(GAME, *pair, games, openings=openings)
        record = match.sides[0].total
        speeds = " / ".join(f"{1000 * side.seconds / max(side.decisions, 1):.2f}" for side in match.sides)
        counts = (str(count) for count in (record.wins, record.draws, record.losses))
        shares = (_share(count, games) for count in (record.wins, record.losses))
        table.add_row(spec, *counts, *shares, speeds)
    Console(highlight=False).print(table)
    click.echo("ms an action: with tables / without tables")


def _share(count: int, games: int) -> str:
    """Return a share of games in percent, and its interval, as text."""
    low, high = wilson_interval(count, games)
    return f"{100 * count / games:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def random_positions(cubes: int, count: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    """Return positions of random play that are not over, with ``cubes`` cubes on the board.

    Args:
        cubes: The number of cubes.
        count: The number of positions.
        rng: The random number generator.

    Returns:
        Rows (own, opp), uint64 of shape (count, 2).
    """
    found: list[tuple[int, int]] = []
    while len(found) < count:
        position = Position.start(GAME)
        while position.result is None and (position.own | position.opp).bit_count() < cubes:
            position = position.play(int(rng.choice(position.legal_actions())))
        if position.result is None:
            found.append((position.own, position.opp))
    return np.array(found, dtype=np.uint64)


if __name__ == "__main__":
    main()
