"""Agents that play by evolved genomes, and the fitness of genomes by play in compiled code."""

from ci_envs.agents.evolution.champion import Champion, best_of, read_champion, write_champion
from ci_envs.agents.evolution.opponents import make_opponents
from ci_envs.agents.evolution.play import (
    FitnessByPlay,
    GenomePolicy,
    Individual,
    Opponent,
    mean_scores,
    play_population,
)

__all__ = [
    "Champion",
    "FitnessByPlay",
    "GenomePolicy",
    "Individual",
    "Opponent",
    "best_of",
    "make_opponents",
    "mean_scores",
    "play_population",
    "read_champion",
    "write_champion",
]
