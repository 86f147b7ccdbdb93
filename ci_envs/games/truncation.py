"""The truncation of games that can go on for ever."""

import sys

from ci_envs.games.game import Game
from ci_envs.validation import integer_between

DEFAULT_MAX_CYCLES = 200
UNLIMITED = sys.maxsize


def ply_limit(game: Game, max_cycles: int | None) -> int:
    """Return the number of plies after which a game is truncated.

    Args:
        game: the game.
        max_cycles: the limit. None means 200 for games that can go on for ever, and no limit for other games.

    Raises:
        ValueError: ``max_cycles`` is not a positive integer.
    """
    if max_cycles is None:
        return DEFAULT_MAX_CYCLES if game.can_cycle else UNLIMITED
    return integer_between("max_cycles", max_cycles, 1)
