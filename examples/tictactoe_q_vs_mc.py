"""Q-learning against Monte Carlo on tic-tac-toe: both learn by self-play, then play each other, random and perfect.

It is the fourth laboratory of the course, whole: matches of 100,000 games, tables of the outcomes, and its three
figures as PNG. Run it with ``python examples/tictactoe_q_vs_mc.py``; ``--episodes 200000 --games 2000`` gives a quick
look. It needs matplotlib: ``pip install -e ".[plot]"``.
"""

from itertools import product
from pathlib import Path

import click
import matplotlib.pyplot as plt
import numpy as np
from rich.console import Console
from rich.table import Table

from ci_envs import make_agent
from ci_envs.arena import play_match
from ci_envs.registry import resolve
from ci_envs.training import train

ENVIRONMENT = "TicTacToe-v0"
PAIRINGS = (
    ("monte_carlo", "q_learning"),
    ("monte_carlo", "random"),
    ("q_learning", "random"),
    ("monte_carlo", "exact"),
    ("q_learning", "exact"),
)
COLOURS = {"won": "#4a7a58", "drawn": "#b9b3a4", "lost": "#a8524a"}


@click.command()
@click.option(
    "--episodes", default=10_000_000, show_default=True, type=click.IntRange(min=1), help="Of training, each."
)
@click.option("--games", default=100_000, show_default=True, type=click.IntRange(min=2), help="Of each pairing.")
@click.option("--output", default="runs/tictactoe_q_vs_mc", show_default=True, type=click.Path(path_type=Path))
def main(episodes: int, games: int, output: Path) -> None:
    """Train both, let them play, print the tables and draw the figures."""
    specs = {"random": "random", "exact": "exact"}
    for name in ("q_learning", "monte_carlo"):
        folder = output / name
        specs[name] = train(name, ENVIRONMENT, output=folder, resume=folder.exists(), episodes=episodes)
    game = resolve(ENVIRONMENT)[1]
    players = {name: make_agent(spec, game, seed=seed) for seed, (name, spec) in enumerate(specs.items())}
    matches = {}
    with Console(stderr=True).status("playing") as status:
        for first, second in PAIRINGS:
            status.update(f"{first} v {second}")
            matches[f"{first} v {second}"] = play_match(game, players[first], players[second], games)
    Console().print(outcomes_table(matches))
    for name, draw in (("outcomes", outcomes), ("by_starter", by_starter), ("by_turn", by_turn)):
        figure = draw(matches)
        figure.savefig(output / f"{name}.png", dpi=150)
        print(output / f"{name}.png")


def outcomes_table(matches):
    """Outcomes as the agent named first sees them, in all and by who moved first."""
    table = Table(title=f"{ENVIRONMENT}: as the agent named first sees it", title_justify="left")
    for column in ("pairing", "moves first", "won", "drawn", "lost"):
        table.add_column(column, justify="left" if column in ("pairing", "moves first") else "right")
    for name, match in matches.items():
        first, _, second = name.partition(" v ")
        side = match.sides[0]
        for starter, record in (("either", side.total), (first, side.seats[0]), (second, side.seats[1])):
            numbers = (record.wins, record.draws, record.losses)
            table.add_row(name if starter == "either" else "", starter, *(f"{n:,}" for n in numbers))
        table.add_section()
    return table


def outcomes(matches):
    """Bars of the outcomes of each pairing."""
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    bars(axes, list(matches), [match.sides[0].total for match in matches.values()])
    axes.set_title("Outcomes, as the agent named first sees them")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    return figure


def by_starter(matches):
    """The same, apart for who moved first."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), sharey=True, layout="constrained")
    for seat, axes in enumerate((left, right)):
        bars(axes, list(matches), [match.sides[0].seats[seat] for match in matches.values()])
        axes.set_title(f"Outcomes when the agent named {('first', 'second')[seat]} begins")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
    return figure


def bars(axes, names, records):
    """Horizontal bars, a row for each pairing, in per cent of the games."""
    left = np.zeros(len(names))
    for outcome, attribute in (("won", "wins"), ("drawn", "draws"), ("lost", "losses")):
        width = np.array([100 * getattr(record, attribute) / record.games for record in records])
        axes.barh(names, width, left=left, label=outcome, color=COLOURS[outcome])
        left += width
    if not axes.yaxis_inverted():  # axes that are shared are inverted together
        axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("% of the games")
    axes.spines[["top", "right"]].set_visible(False)


def by_turn(matches):
    """After how many plies games were won by either, and drawn."""
    figure, grid = plt.subplots(1, len(matches), figsize=(15, 3.6), sharey=True, layout="constrained")
    turns = np.arange(5, 10)
    for axes, (name, match) in zip(grid, matches.items(), strict=True):
        first, _, second = name.partition(" v ")
        counts = np.zeros((3, len(turns)))
        for (row, attribute), (column, turn) in product(enumerate(("wins", "losses", "draws")), enumerate(turns)):
            pair = match.by_length.get(int(turn), ())
            counts[row, column] = sum(getattr(record, attribute) for record in pair)
        share = 100 * counts / counts.sum()
        for row, (label, colour) in enumerate(
            ((f"{first} wins", "won"), (f"{second} wins", "lost"), ("drawn", "drawn"))
        ):
            axes.bar(turns + 0.27 * (row - 1), share[row], 0.25, label=label, color=COLOURS[colour])
        axes.set_title(name, fontsize=10)
        axes.set_xlabel("plies")
        axes.set_xticks(turns)
        axes.legend(fontsize=7, frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    grid[0].set_ylabel("% of the games")
    return figure


if __name__ == "__main__":
    main()
