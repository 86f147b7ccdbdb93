"""The rules of one game as compiled functions that Python calls."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ci_envs.games.operations import (
    ONGOING,
    action_count,
    decode,
    keeps_turn,
    legal,
    observe,
    play,
    result,
    symmetry_count,
    transform,
)
from ci_envs.kernels.compiler import kernel, specialised

_WORD = np.uint64(0)


class Rules:
    """The compiled functions of one game, each of which takes the game first and checks nothing."""

    def __init__(self, game: Any) -> None:
        self._game = game

    @cached_property
    def legal(self) -> Callable[..., Any]:
        """``(game, own, opp, action) -> bool``, False once the game is over."""
        return specialised(_legal, self._game, _WORD, _WORD, _WORD)

    @cached_property
    def mask(self) -> Callable[..., Any]:
        """``(game, own, opp, mask)`` writes the legal actions into int8 of shape (actions,)."""
        return specialised(_mask, self._game, _WORD, _WORD, np.zeros(1, np.int8))

    @cached_property
    def play(self) -> Callable[..., Any]:
        """``(game, own, opp, action) -> (own, opp, keeps_turn)``."""
        return specialised(_play, self._game, _WORD, _WORD, _WORD)

    @cached_property
    def result(self) -> Callable[..., Any]:
        """``(game, own, opp) -> int``."""
        return specialised(_result, self._game, _WORD, _WORD)

    @cached_property
    def observe(self) -> Callable[..., Any]:
        """``(game, own, opp, planes)`` writes into zeros, int8 of ``game.observation_shape``."""
        return specialised(_observe, self._game, _WORD, _WORD, np.zeros((1, 1, 1), np.int8))

    @cached_property
    def decode(self) -> Callable[..., Any]:
        """``(game, planes) -> (own, opp)``."""
        return specialised(_decode, self._game, np.zeros((1, 1, 1), np.int8))

    @cached_property
    def images(self) -> Callable[..., Any]:
        """``(game, own, opp) -> uint64`` of shape (symmetries, 2)."""
        return specialised(_images, self._game, _WORD, _WORD)


@kernel
def _legal(game: Any, own: Any, opp: Any, action: Any) -> Any:
    return result(game, own, opp) == ONGOING and legal(game, own, opp, action)


@kernel
def _mask(game: Any, own: Any, opp: Any, mask: Any) -> Any:
    going = result(game, own, opp) == ONGOING
    for action in range(action_count(game)):
        mask[action] = going and legal(game, own, opp, np.uint64(action))


@kernel
def _play(game: Any, own: Any, opp: Any, action: Any) -> Any:
    next_own, next_opp = play(game, own, opp, action)
    return next_own, next_opp, keeps_turn(game, own, opp, action)


@kernel
def _result(game: Any, own: Any, opp: Any) -> Any:
    return result(game, own, opp)


@kernel
def _observe(game: Any, own: Any, opp: Any, planes: Any) -> Any:
    observe(game, own, opp, planes)


@kernel
def _decode(game: Any, planes: Any) -> Any:
    return decode(game, planes)


@kernel
def _images(game: Any, own: Any, opp: Any) -> Any:
    images = np.empty((symmetry_count(game), 2), dtype=np.uint64)
    for symmetry in range(len(images)):
        images[symmetry, 0], images[symmetry, 1] = transform(game, symmetry, own, opp)
    return images
