"""Observations of one board, written by compiled code.

``planes`` is int8 of shape (height, width, channels), ``mask`` is int8 of shape (actions,).
"""

from typing import Any

import numpy as np

from ci_envs.games.operations import ONGOING, action_count, legal, observe, other_view, result
from ci_envs.kernels.compiler import called_from_python, inlined, kernel


@called_from_python
@kernel
def observe_with_mask(game: Any, words: Any, planes: Any, mask: Any) -> None:
    """Write the observation of the player to move: planes and action mask. The mask is zero if the game is over."""
    own, opp = words[0], words[1]
    write_planes(game, own, opp, planes)
    write_mask(game, own, opp, result(game, own, opp) == ONGOING, mask)


@kernel
def observe_idle(game: Any, words: Any, planes: Any) -> None:
    """Write the planes that the player who is not to move observes."""
    own, opp = other_view(game, words[0], words[1])
    write_planes(game, own, opp, planes)


@inlined
def write_planes(game: Any, own: Any, opp: Any, planes: Any) -> None:
    """Write the planes of a position."""
    planes[:] = 0
    observe(game, own, opp, planes)


@inlined
def write_mask(game: Any, own: Any, opp: Any, going: Any, mask: Any) -> None:
    """Write the mask of the legal actions, or zeros if ``going`` is false."""
    if not going:
        mask[:] = 0
        return
    for number in range(action_count(game)):
        mask[number] = legal(game, own, opp, np.uint64(number))
