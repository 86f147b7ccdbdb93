"""The strength of all agents: a round robin, with accuracy by exact values: ``python -m experiments.ladder``."""

from collections.abc import Sequence

from rich.console import Console

from ci_envs.arena import tables
from ci_envs.arena.tournament import Tournament

_SEARCHERS = ("minimax:depth=2", "minimax:depth=4", "mcts:simulations=100", "mcts:simulations=1000")

LADDERS: Sequence[tuple[str, Sequence[str]]] = (
    ("TicTacToe-v0", ("random", *_SEARCHERS, "exact")),
    ("Nim-v0", ("random", *_SEARCHERS, "nim_expert", "exact")),
    ("Quixo-v0:size=3", ("random", *_SEARCHERS, "exact")),
    ("Quixo-v0:size=4", ("random", *_SEARCHERS, "exact:blunder=0.1", "exact")),
    ("Quixo-v0", ("random", *_SEARCHERS, "minimax:depth=6")),
)
"""Environments, and who plays there."""

GAMES = 100
"""Games of each match."""


def main() -> None:
    """Play all ladders and print their tables."""
    console, status = Console(), Console(stderr=True)
    for environment, agents in LADDERS:
        with status.status(environment):
            comparison = Tournament(environment, agents, games=GAMES).play()
        console.print(tables(comparison))


if __name__ == "__main__":
    main()
