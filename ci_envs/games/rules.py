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

Facts = tuple[int, int, int, bool, int]
"""A position and what its rules say of it: ``(own, opp, result, keeps_turn, legal)``. ``keeps_turn`` is whether the
player who moved moves again; bit i of ``legal`` is whether action i is legal, and 0 once the game is over."""

_WORD, _BITS = np.uint64(0), 64


class Rules:
    """The compiled functions of one game, each of which takes the game first and checks nothing."""

    def __init__(self, game: Any) -> None:
        self._game = game

    @cached_property
    def mask(self) -> Callable[..., Any]:
        """``(game, own, opp, mask)`` writes the legal actions into int8 of shape (actions,)."""
        return specialised(_mask, self._game, _WORD, _WORD, np.zeros(1, np.int8))

    @cached_property
    def examine(self) -> Callable[..., Facts]:
        """``(game, own, opp) -> facts``, where ``keeps_turn`` is False."""
        entry = specialised(_examine, self._game, _WORD, _WORD)
        return entry if self._game.action_count <= _BITS else self._with_all_actions(entry)

    @cached_property
    def advance(self) -> Callable[..., Facts]:
        """``(game, own, opp, action) -> facts`` of the position after a legal action."""
        entry = specialised(_advance, self._game, _WORD, _WORD, _WORD)
        return entry if self._game.action_count <= _BITS else self._with_all_actions(entry)

    def _with_all_actions(self, entry: Callable[..., Facts]) -> Callable[..., Facts]:
        """Return ``entry`` for a game with more actions than a word of compiled code has bits."""

        def facts(game: Any, *words: Any) -> Facts:
            own, opp, outcome, kept, _ = entry(game, *words)
            mask = np.empty(game.action_count, dtype=np.int8)
            self.mask(game, own, opp, mask)
            return own, opp, outcome, kept, int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")

        return facts

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
def _mask(game: Any, own: Any, opp: Any, mask: Any) -> Any:
    going = result(game, own, opp) == ONGOING
    for action in range(action_count(game)):
        mask[action] = going and legal(game, own, opp, np.uint64(action))


@kernel
def _examine(game: Any, own: Any, opp: Any) -> Any:
    outcome, allowed = np.int64(result(game, own, opp)), np.uint64(0)
    if outcome == ONGOING:
        for action in range(min(action_count(game), _BITS)):
            allowed |= np.uint64(legal(game, own, opp, np.uint64(action))) << np.uint64(action)
    return own, opp, outcome, False, allowed


@kernel
def _advance(game: Any, own: Any, opp: Any, action: Any) -> Any:
    next_own, next_opp = play(game, own, opp, action)
    _, _, outcome, _, allowed = _examine(game, next_own, next_opp)
    return next_own, next_opp, outcome, keeps_turn(game, own, opp, action), allowed


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
