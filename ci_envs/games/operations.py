"""The operations that the rules of a game implement, and the results of a game.

A **position** is two 64-bit words ``(own, opp)`` from the point of view of the player to move. In a game of two colours
they are the stones of the player to move and of the opponent. In a game where both players share everything (Nim,
Quarto) they are the shared board, for both players. Actions are numbers from 0 to ``action_count - 1``. In kernels both
words and the action are ``uint64``.
"""

from functools import partial
from typing import Any

import numpy as np

from ci_envs.kernels.compiler import inlined
from ci_envs.kernels.dispatch import operation

LOSS = -1
"""Result: the player to move has lost."""
DRAW = 0
"""Result: the game is drawn."""
WIN = 1
"""Result: the player to move has won."""
ONGOING = 2
"""Result: the game goes on."""


@operation
def initial(game: Any) -> Any:
    """Return both words of the initial position."""


@operation
def action_count(game: Any) -> Any:
    """Return the number of actions, legal or not."""


@operation
def legal(game: Any, own: Any, opp: Any, action: Any) -> Any:
    """Return whether ``action`` is legal in a non-terminal position."""


@partial(operation, inlined=True)  # otherwise its loop is not always unrolled
def legal_bits(game: Any, own: Any, opp: Any) -> Any:
    """Return the legal actions of a non-terminal position as a uint64, whose bit i is set if action i is legal.

    Actions from number 64 on have no bit. The default uses :func:`legal`.
    """


@operation
def play(game: Any, own: Any, opp: Any, action: Any) -> Any:
    """Return the position after a legal action, from the point of view of the next player to move."""


@operation
def keeps_turn(game: Any, own: Any, opp: Any, action: Any) -> Any:
    """Return whether the same player moves again after a legal action. The default is False."""


@operation
def other_view(game: Any, own: Any, opp: Any) -> Any:
    """Return the same position as the player who is not to move sees it. Applied twice, it restores the position.

    The default swaps the words, or returns the position itself in a game with a shared board. A game whose rules depend
    on the player, for example because ``play`` turns the board, implements it.
    """


@operation
def result(game: Any, own: Any, opp: Any) -> Any:
    """Return ONGOING, or WIN, DRAW or LOSS for the player to move."""


@partial(operation, inlined=True)  # because a kernel can know the shape of the planes
def observe(game: Any, own: Any, opp: Any, planes: Any) -> Any:
    """Write the planes of a position into ``planes`` (int8 of ``observation_shape``, zero before the call)."""


@operation
def decode(game: Any, planes: Any) -> Any:
    """Return the position whose planes :func:`observe` wrote."""


@operation
def transform(game: Any, symmetry: Any, own: Any, opp: Any) -> Any:
    """Return the image of a position under a symmetry of the game. The default is the position itself."""


@operation
def transform_action(game: Any, symmetry: Any, action: Any) -> Any:
    """Return the image of an action under a symmetry.

    Playing and transforming commute. If :func:`other_view` moves stones to other cells, the successor is transformed as
    the other player sees the symmetry: in a transposed view the mirror of the rows is the mirror of the columns.
    """


@inlined
def image_of_action(game: Any, symmetry: Any, action: Any) -> Any:
    """Return the image of an action under a symmetry as int64, from arguments of any integer type.

    Games implement :func:`transform_action`, and kernels call this function. An implementation then always has
    arguments of the same types, and may return a float, which compiled code makes of a uint64 and another integer.
    """
    return np.int64(transform_action(game, np.int64(symmetry), np.uint64(action)))


@operation
def canonical(game: Any, own: Any, opp: Any) -> Any:
    """Return an image of a position that is the same for all symmetric positions. The default is the smallest image."""


@operation
def evaluate(game: Any, own: Any, opp: Any) -> Any:
    """Return a heuristic value for the player to move, which is equal for symmetric positions. The default is 0.

    Its absolute value is below 1,000,000.
    """


@operation
def is_duplicate(game: Any, own: Any, opp: Any, action: Any) -> Any:
    """Return whether a legal action is a duplicate: another action leads to the same position, so a search can skip it.

    Of all actions that lead to the same position, at least one is not a duplicate. The default is False.
    """


@operation
def may_end(game: Any, own: Any, opp: Any, outcome: Any) -> Any:
    """Return whether one action can end the game with ``outcome``, WIN or LOSS, for the player who plays it.

    False must be certain, so that a search need not try all actions. True, which is the default, can be wrong.
    """


@operation
def may_end_soon(game: Any, own: Any, opp: Any, outcome: Any) -> Any:
    """Return whether ``outcome``, WIN or LOSS for the player to move, can be forced within two actions.

    False must be certain, as in :func:`may_end`. The default is True.
    """


@operation
def longest_line(game: Any, stones: Any) -> Any:
    """Return the largest number of ``stones`` in one line of the board, for games that are decided by lines."""


@operation
def write_features(game: Any, own: Any, opp: Any, features: Any) -> None:
    """Write the features of a non-terminal position into ``features``, float64 of shape (features,).

    A learner builds an evaluation from the features. ``Game.feature_names`` contains their names. Symmetric positions
    have equal features. The defaults are a constant, the fraction of legal actions, and whether the number of legal
    actions is odd.
    """


@operation
def symmetry_count(game: Any) -> Any:
    """Return the number of symmetries of the game, including the identity."""


RULES = (legal, play, result)
"""The operations that every game must implement to be played."""

VIEWS = (observe, decode)
"""The operations that environments and agents also need. All other operations have defaults."""
