"""Comparison of agents: matches in batches with swapped seats, tournaments, ratings and reports."""

from ci_envs.arena.grading import Grading
from ci_envs.arena.match import play_match
from ci_envs.arena.ratings import Rating, elo_ratings, wilson_interval
from ci_envs.arena.report import tables
from ci_envs.arena.results import MatchResult, Record, Side
from ci_envs.arena.tournament import Comparison, Tournament, compare
from ci_envs.games.openings import random_openings

__all__ = [
    "Comparison",
    "Grading",
    "MatchResult",
    "Rating",
    "Record",
    "Side",
    "Tournament",
    "compare",
    "elo_ratings",
    "play_match",
    "random_openings",
    "tables",
    "wilson_interval",
]
