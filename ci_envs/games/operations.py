"""The operations that the rules of a game implement, and the results of a game.

A **position** is two 64-bit words ``(own, opp)`` seen by the player to move. In a game of two colours they are the
stones of the player to move and of the opponent; where both players share everything (Nim, Quarto) they hold the
shared board and do not change with the view. Actions are numbers from 0 to ``action_count - 1``. In kernels both words
and the action are ``uint64``.
"""

from functools import partial
from typing import Any

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
    """``-> (own, opp)``: the first position."""


@operation
def action_count(game: Any) -> Any:
    """``-> int``: how many actions there are, legal or not."""


@operation
def legal(game: Any, own: Any, opp: Any, action: Any) -> Any:
    """``-> bool``: may ``action`` be played in this position, which is not over."""


@partial(operation, inlined=True)  # else its loop is not always unrolled
def legal_bits(game: Any, own: Any, opp: Any) -> Any:
    """``-> uint64``: bit i says whether action i is legal in this position, which is not over (by :func:`legal`).

    Actions from number 64 on have no bit.
    """


@operation
def play(game: Any, own: Any, opp: Any, action: Any) -> Any:
    """``-> (own, opp)``: the position after a legal action, seen by the next player to act."""


@operation
def keeps_turn(game: Any, own: Any, opp: Any, action: Any) -> Any:
    """``-> bool``: does the same player act again after a legal action (by default never)."""


@operation
def result(game: Any, own: Any, opp: Any) -> Any:
    """``-> int``: ONGOING, or WIN, DRAW or LOSS for the player to move."""


@partial(operation, inlined=True)  # as a kernel may know the shape of the planes
def observe(game: Any, own: Any, opp: Any, planes: Any) -> Any:
    """Write the planes of a position into ``planes`` (int8 of ``observation_shape``, zero on entry)."""


@operation
def decode(game: Any, planes: Any) -> Any:
    """``-> (own, opp)``: the position that :func:`observe` wrote."""


@operation
def transform(game: Any, symmetry: Any, own: Any, opp: Any) -> Any:
    """``-> (own, opp)``: the image of a position under a symmetry of the game (by default the position itself)."""


@operation
def transform_action(game: Any, symmetry: Any, action: Any) -> Any:
    """``-> action``: the image of an action, so that playing and transforming commute."""


@operation
def canonical(game: Any, own: Any, opp: Any) -> Any:
    """``-> (own, opp)``: one image of a position, the same for all positions symmetric to it (by default the least)."""


@operation
def evaluate(game: Any, own: Any, opp: Any) -> Any:
    """``-> int``: a guess at how well the player to move stands, the same for symmetric positions (by default 0).

    It is of size below 1,000,000.
    """


@operation
def is_duplicate(game: Any, own: Any, opp: Any, action: Any) -> Any:
    """``-> bool``: does another action lead to the same position, so that a search may leave this legal one out.

    Of actions that lead to the same position at least one is no duplicate (by default none is).
    """


@operation
def may_end(game: Any, own: Any, opp: Any, outcome: Any) -> Any:
    """``-> bool``: may one action end the game with WIN or LOSS for who plays it.

    False is certain, so that a search need not try them all; True, as by default, may be wrong.
    """


@operation
def longest_line(game: Any, stones: Any) -> Any:
    """``-> int``: the greatest number of ``stones`` in one line of the board; for games that are decided by lines."""


@operation
def write_features(game: Any, own: Any, opp: Any, features: Any) -> None:
    """Write the features of a position that is not over into ``features``, float64 of shape (features,).

    The features are numbers from which a learner builds an evaluation, named by ``Game.feature_names``. Symmetric
    positions have equal features. By default they are a constant, the share of the actions that are legal, and whether
    an odd number of actions is legal.
    """


@operation
def symmetry_count(game: Any) -> Any:
    """``-> int``: how many symmetries the game has, the identity among them."""


RULES = (legal, play, result)
"""The operations that play needs."""

VIEWS = (observe, decode)
"""The operations that environments and agents need besides; all others have defaults."""
