"""Many positions of one game in one compiled call, as rows of arrays.

``words`` is uint64 of shape (n, 2), the rows ``(own, opp)``; ``planes`` int8 of shape (n, height, width, channels);
``masks`` int8 of shape (n, actions).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.compiled import kernel
from ci_envs.games.game import (
    ONGOING,
    Game,
    action_count,
    decode,
    keeps_turn,
    legal,
    observe,
    play,
    result,
)

ILLEGAL = -2
"""Outcome of an illegal action: the position stays as it was."""


def start_words(game: Game, n: int) -> NDArray[np.uint64]:
    """``n`` rows of the first position."""
    return np.tile(np.array(game.start(), dtype=np.uint64), (n, 1))


@kernel
def decode_batch(game: Any, planes: Any, words: Any) -> Any:
    """Write the positions that ``planes`` show into ``words``."""
    for i in range(len(words)):
        words[i, 0], words[i, 1] = decode(game, planes[i])


@kernel
def observe_batch(game: Any, words: Any, planes: Any, masks: Any) -> Any:
    """Write what the players to move see: planes, and masks that are zero where the game is over."""
    planes[:] = 0
    for i in range(len(words)):
        own, opp = words[i, 0], words[i, 1]
        observe(game, own, opp, planes[i])
        going = result(game, own, opp) == ONGOING
        for number in range(action_count(game)):
            masks[i, number] = going and legal(game, own, opp, np.uint64(number))


@kernel
def play_batch(game: Any, words: Any, actions: Any, outcomes: Any) -> Any:
    """Play an action (int64) on each board, of which none is over.

    A row of ``outcomes`` (int8, shape (n, 2)) says how the new position stands for its player to move, or ILLEGAL, and
    whether the same player goes on to act.
    """
    for i in range(len(words)):
        own, opp, number = words[i, 0], words[i, 1], actions[i]
        if number < 0 or number >= action_count(game) or not legal(game, own, opp, np.uint64(number)):
            outcomes[i, 0] = ILLEGAL
            continue
        action = np.uint64(number)
        outcomes[i, 1] = keeps_turn(game, own, opp, action)
        words[i, 0], words[i, 1] = play(game, own, opp, action)
        outcomes[i, 0] = result(game, words[i, 0], words[i, 1])
