"""Operations on many positions of one game in one compiled call, as rows of arrays.

``words`` is uint64 of shape (n, 2) with rows ``(own, opp)``. ``planes`` is int8 of shape (n, height, width, channels).
``masks`` is int8 of shape (n, actions).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.game import Game
from ci_envs.games.observation import observe_with_mask
from ci_envs.games.operations import action_count, canonical, keeps_turn, legal, play, result
from ci_envs.kernels.compiler import inlined, kernel

ILLEGAL = -2
"""Outcome of an illegal action, which does not change the position."""


def start_words(game: Game, n: int) -> NDArray[np.uint64]:
    """Return ``n`` rows of the initial position."""
    return np.tile(np.array(game.start(), dtype=np.uint64), (n, 1))


def checked_words(name: str, words: Any) -> NDArray[np.uint64]:
    """Return positions as an array.

    Args:
        name: the name of the parameter for the message.
        words: rows (own, opp), integers of shape (n, 2).

    Raises:
        ValueError: the array has another shape, no rows, or something else than integers of 64 bits.
    """
    rows = np.asarray(words)
    if rows.ndim != 2 or rows.shape[1] != 2 or not len(rows) or rows.dtype.kind not in "iu" or (rows < 0).any():
        raise ValueError(f"{name} must be rows (own, opp), uint64 of shape (n, 2), not {rows.dtype} of {rows.shape}")
    return rows.astype(np.uint64)


@inlined
def play_checked(game: Any, words: Any, number: Any) -> Any:
    """Play action ``number`` on ``words`` (shape (2,)), a non-terminal position.

    Returns:
        The result of the new position for its player to move, or ILLEGAL, and whether the same player moves again.
    """
    own, opp = words[0], words[1]
    if number < 0 or number >= action_count(game) or not legal(game, own, opp, np.uint64(number)):
        return ILLEGAL, False
    action = np.uint64(number)
    words[0], words[1] = play(game, own, opp, action)
    return result(game, words[0], words[1]), keeps_turn(game, own, opp, action)


@kernel
def observe_batch(game: Any, words: Any, planes: Any, masks: Any) -> None:
    """Write the observation of the player to move on each board (:func:`observe_with_mask`)."""
    for i in range(len(words)):
        observe_with_mask(game, words[i], planes[i], masks[i])


@kernel
def play_batch(game: Any, words: Any, actions: Any, outcomes: Any) -> None:
    """Play an action (int64) on each board. No game may be over.

    A row of ``outcomes`` (int8 of shape (n, 2)) is the result of :func:`play_checked` on that board.
    """
    for i in range(len(words)):
        outcomes[i, 0], outcomes[i, 1] = play_checked(game, words[i], actions[i])


def canonical_batch(game: Game, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the canonical form of each position, which all its symmetric images share, uint64 of shape (n, 2)."""
    forms = words.copy()
    _canonicalise(game, forms)
    return forms


@kernel
def _canonicalise(game: Any, words: Any) -> None:
    for i in range(len(words)):
        words[i, 0], words[i, 1] = canonical(game, words[i, 0], words[i, 1])
