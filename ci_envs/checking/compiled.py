"""The operations of a game, called in compiled code. They write their results into arrays."""

from typing import Any

import numpy as np

from ci_envs.games.operations import (
    DRAW,
    LOSS,
    ONGOING,
    WIN,
    action_count,
    canonical,
    evaluate,
    image_of_action,
    is_duplicate,
    keeps_turn,
    legal,
    may_end,
    may_end_soon,
    other_view,
    play,
    result,
    transform,
    write_features,
)
from ci_envs.kernels.compiler import kernel

ILLEGAL = -2
"""Outcome of an illegal action."""


@kernel
def words_after(game: Any, own: Any, opp: Any, action: Any) -> Any:
    """Return what ``play`` returns, as floats if they are not uint64 like the words before."""
    if action < action_count(game):
        own, opp = play(game, own, opp, action)
    return own, opp


@kernel
def follow(game: Any, own: Any, opp: Any, words: Any, outcomes: Any, keeps: Any, duplicates: Any) -> Any:
    """Write the position, the result and two flags for every action in a position that is not over.

    Args:
        game: The game.
        own: The first word of the position.
        opp: The second word of the position.
        words: The positions after the actions, written, uint64 of shape (actions, 2).
        outcomes: The results after the actions for the player to move there, or ILLEGAL, written, int64 (actions,).
        keeps: Whether the same player acts again, written, bool of shape (actions,).
        duplicates: Whether another action leads to the same position, written, bool of shape (actions,).

    Returns:
        A pair of bool for ``may_end`` and a pair for ``may_end_soon``: whether the operation allows an end with a win,
        and with a loss, of the player to move.
    """
    for number in range(action_count(game)):
        action = np.uint64(number)
        outcomes[number], keeps[number], duplicates[number] = ILLEGAL, False, False
        words[number, 0], words[number, 1] = own, opp
        if legal(game, own, opp, action):
            words[number, 0], words[number, 1] = play(game, own, opp, action)
            outcomes[number] = result(game, words[number, 0], words[number, 1])
            keeps[number] = keeps_turn(game, own, opp, action)
            duplicates[number] = is_duplicate(game, own, opp, action)
    return (
        (may_end(game, own, opp, WIN), may_end(game, own, opp, LOSS)),
        (may_end_soon(game, own, opp, WIN), may_end_soon(game, own, opp, LOSS)),
    )


@kernel
def transformed(game: Any, symmetry: Any, own: Any, opp: Any, actions: Any) -> Any:
    """Return the image of a position under a symmetry, and the canonical form of the position.

    Args:
        game: The game.
        symmetry: The number of the symmetry.
        own: The first word of the position.
        opp: The second word of the position.
        actions: The images of the actions, written, int64 of shape (actions,).

    Returns:
        ``(own, opp, canonical own, canonical opp)``.
    """
    for number in range(action_count(game)):
        actions[number] = image_of_action(game, symmetry, number)
    image, form = transform(game, symmetry, own, opp), canonical(game, own, opp)
    return image[0], image[1], form[0], form[1]


@kernel
def other_views(game: Any, words: Any, others: Any) -> None:
    """Write the positions as the other player sees them, rows of uint64 of shape (n, 2)."""
    for i in range(len(words)):
        others[i, 0], others[i, 1] = other_view(game, words[i, 0], words[i, 1])


@kernel
def estimated(game: Any, own: Any, opp: Any, features: Any) -> Any:
    """Return the static evaluation of a position that is not over, and write its features into ``features``."""
    write_features(game, own, opp, features)
    return evaluate(game, own, opp)


OUTCOMES = (LOSS, DRAW, WIN, ONGOING)
"""All values that ``result`` may return."""
