"""Daily puzzles: positions of solved games in which exactly one action keeps the win."""

from dataclasses import dataclass
from datetime import date
from functools import cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.solver.solution import HORIZON, NO_SCORE, Solution, keep_value
from ci_envs.solver.solver import quick_source

_SAMPLES, _ATTEMPTS = 16, 16
_FEWEST_ACTIONS = 3  # of a position of a puzzle


@dataclass(frozen=True)
class Puzzle:
    """A position in which exactly one action keeps the win of the player to move.

    Attributes:
        position: The position.
        solution: The action.
        plies: The number of plies to the end under optimal play, or None if it is unknown.
    """

    position: Position
    solution: int
    plies: int | None


def seed_of(day: date, environment: str) -> int:
    """Return the seed of the puzzle of a day, which is another one for each environment."""
    return day.toordinal() << 32 | crc32(environment.encode())


def make_puzzle(game: Game, seed: int) -> Puzzle:
    """Return a puzzle. The same seed gives the same puzzle.

    It samples positions of an exact source until there are puzzles among them, and takes one with the longest win.

    Raises:
        ValueError: There are no exact values of the game, or no puzzle was found.
    """
    source, rng = _source(game), np.random.default_rng(seed)
    for _ in range(_ATTEMPTS):
        words = source.sample_positions(_SAMPLES, rng)
        scores = source.quick_scores(words)
        plies = HORIZON - scores.max(axis=1)
        known = np.where(plies < HORIZON - 1, plies, 0)
        found = np.flatnonzero(_is_puzzle(scores) & (known != 1))  # a win with this action is too easy
        if len(found):
            best = found[np.argmax(known[found])]
            solution = int(scores[best].argmax())
            own, opp = map(int, words[best])
            return Puzzle(Position.from_words(game, own, opp), solution, int(known[best]) or None)
    raise ValueError(f"{_SAMPLES * _ATTEMPTS} positions of {game} have no puzzle")


@cache
def has_puzzles(game: Game) -> bool:
    """Return whether the exact values of a game are known at once."""
    try:
        _source(game)
    except ValueError:
        return False
    return True


def _source(game: Game) -> Solution:
    """Return exact values that take seconds.

    Raises:
        ValueError: No values are found in seconds, or they can miss another action that wins.
    """
    source = quick_source(game)
    if source.limited:
        raise ValueError(f"the search of {game} does not find the values of all actions in seconds")
    return source


def _is_puzzle(scores: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return which rows of scores of actions are won by exactly one of several actions."""
    wins, actions = (scores > 0).sum(axis=1), (scores != NO_SCORE).sum(axis=1)
    only: NDArray[np.bool_] = (wins == 1) & (keep_value(scores).sum(axis=1) == 1) & (actions >= _FEWEST_ACTIONS)
    return only
