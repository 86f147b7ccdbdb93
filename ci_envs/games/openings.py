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
    words = start_words(game, count)
    if plies and not _walk(game, words, plies, np.uint64(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])):
        raise ValueError(f"random_plies={plies} is too much for {game}: it is over by then")
    return words


@kernel
def _walk(game: Any, words: Any, plies: Any, state: Any) -> Any:
    """``-> bool``: did every walk come so far."""
    for i in range(len(words)):
        for _ in range(_TRIES):
            words[i, 0], words[i, 1] = initial(game)
            walked = 0
            while walked < plies and result(game, words[i, 0], words[i, 1]) == ONGOING:
                action, state = random_action(game, words[i, 0], words[i, 1], state)
                words[i, 0], words[i, 1] = play(game, words[i, 0], words[i, 1], np.uint64(action))
                walked += 1
            going = result(game, words[i, 0], words[i, 1]) == ONGOING
            if walked == plies and going:
                break
        else:
            return False
    return True
