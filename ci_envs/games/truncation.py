"""The truncation of games that can go on for ever."""

import sys

from ci_envs.games.game import Game
from ci_envs.validation import integer_between

DEFAULT_MAX_CYCLES = 200
UNLIMITED = sys.maxsize

MAX_PLIES = 1 << 12
"""More plies than a game has that cannot cycle; Nim with 8 heaps of 255 objects has at most 2,040.

A deeper recursion could exceed the stack of a thread.
"""


def ply_limit(game: Game, max_cycles: int | None) -> int:
    """Return the number of plies after which a game is truncated.

    Args:
        game: the game.
        max_cycles: the limit. None means 200 for games that can go on for ever, and no limit for other games.

    Raises:
        ValueError: ``max_cycles`` is not a positive integer of 64 bits.
    """
    if max_cycles is None:
        return DEFAULT_MAX_CYCLES if game.can_cycle else UNLIMITED
    return integer_between("max_cycles", max_cycles, 1, UNLIMITED)


def computed_plies(game: Game, max_cycles: int | None = None) -> int:
    """Return the number of plies after which a search or a training ends a game.

    This is :func:`ply_limit`, but at most ``MAX_PLIES`` for games that cannot cycle: compiled code cannot be
    interrupted, so it must end even if a game repeats positions although it declares that it cannot.
    """
    limit = ply_limit(game, max_cycles)
    return limit if game.can_cycle else min(limit, MAX_PLIES)
