"""Positions that games begin from, so that agents without luck do not play one and the same game over and over."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.batch import start_words
from ci_envs.games.game import Game
from ci_envs.games.operations import ONGOING, initial, play, result
from ci_envs.games.walk import random_action
from ci_envs.kernels.compiler import kernel
from ci_envs.validation import integer_between

_TRIES = 1000


def random_openings(game: Game, count: int, plies: int, seed: int = 0) -> NDArray[np.uint64]:
    """Positions after so many random plies, uint64 (count, 2). Walks that end the game are begun again.

    Raises:
        ValueError: ``count`` or ``plies`` is out of range, or hardly a walk is so long.
    """
    integer_between("count", count, 1)
    integer_between("random_plies", plies, 0)
    words, state = start_words(game, count), np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    if plies and not _walk(game, words, np.full(count, plies), state):
        raise ValueError(f"random_plies={plies} is too much for {game}: it is over by then")
    return words


def positions_of_random_play(game: Game, count: int, max_plies: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    """Draw positions after random plies, whose number is drawn uniformly for each.

    Walks that end the game are begun again.

    Args:
        game: The game.
        count: The number of positions.
        max_plies: The greatest number of plies.
        rng: The source of random numbers.

    Returns:
        Rows (own, opp), uint64 of shape (count, 2).

    Raises:
        ValueError: Hardly a walk is so long.
    """
    words = start_words(game, count)
    if not _walk(game, words, rng.integers(max_plies + 1, size=count), rng.integers(1 << 63, dtype=np.uint64)):
        raise ValueError(f"max_plies={max_plies} is too much for {game}: it is over by then")
    return words


@kernel
def _walk(game: Any, words: Any, plies: Any, state: Any) -> Any:
    """``-> bool``: did every walk come so far."""
    for i in range(len(words)):
        for _ in range(_TRIES):
            words[i, 0], words[i, 1] = initial(game)
            walked = 0
            while walked < plies[i] and result(game, words[i, 0], words[i, 1]) == ONGOING:
                action, state = random_action(game, words[i, 0], words[i, 1], state)
                words[i, 0], words[i, 1] = play(game, words[i, 0], words[i, 1], np.uint64(action))
                walked += 1
            going = result(game, words[i, 0], words[i, 1]) == ONGOING
            if walked == plies[i] and going:
                break
        else:
            return False
    return True
