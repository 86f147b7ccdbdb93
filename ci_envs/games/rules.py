"""The rules of one game as compiled functions for Python callers."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games.observation import observe_idle, observe_with_mask
from ci_envs.games.operations import (
    ONGOING,
    action_count,
    decode,
    keeps_turn,
    legal,
    legal_bits,
    other_view,
    play,
    result,
    symmetry_count,
    transform,
)
from ci_envs.kernels.compiler import kernel, specialised
from ci_envs.kernels.lazy import cached_property

Facts = tuple[int, int, int, bool, int]
"""A position and its facts, ``(own, opp, result, keeps_turn, legal)``. ``keeps_turn`` is whether the player who moved
moves again. Bit i of ``legal`` is set if action i is legal; it is 0 if the game is over."""

_WORD, _BITS, _STAY = np.uint64(0), 64, -1


class Rules:
    """The compiled functions of one game. Their first argument is the game, and they check nothing."""

    def __init__(self, game: Any) -> None:
        self._game = game

    def examine(self, game: Any, own: int, opp: int) -> Facts:
        """Return the facts of a position, where ``keeps_turn`` is False."""
        return self.advance(game, own, opp, _STAY)

    @cached_property
    def advance(self) -> Callable[..., Facts]:
        """A function ``(game, own, opp, action) -> facts``, the facts of the position after a legal action."""
        entry = specialised(_advance, self._game, _WORD, _WORD, _STAY)
        return entry if self._game.action_count <= _BITS else self._with_all_actions(entry)

    def _with_all_actions(self, entry: Callable[..., Facts]) -> Callable[..., Facts]:
        """Return ``entry`` extended for a game with more actions than the 64 bits of a word in compiled code."""
        legal_actions = specialised(_legal_actions, self._game, _WORD, _WORD, np.zeros(1, np.uint8))

        def facts(game: Any, *arguments: Any) -> Facts:
            own, opp, outcome, kept, _ = entry(game, *arguments)
            packed = np.zeros(-(-game.action_count // 8), dtype=np.uint8)
            if outcome == ONGOING:
                legal_actions(game, own, opp, packed)
            return own, opp, outcome, kept, int.from_bytes(packed.tobytes(), "little")

        return facts

    @cached_property
    def observe(self) -> Callable[..., Any]:
        """A function ``(game, words, planes, mask)`` that writes the observation of the player to move.

        ``words`` is uint64 of shape (2,), ``planes`` int8 of shape ``game.observation_shape``, ``mask`` int8 of shape
        (actions,).
        """
        return specialised(
            observe_with_mask, self._game, np.zeros(2, np.uint64), np.zeros((1, 1, 1), np.int8), np.zeros(1, np.int8)
        )

    def observation(self, own: int, opp: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Return the planes that the player to move observes, and the action mask, both int8."""
        planes = np.empty(self._game.observation_shape, dtype=np.int8)
        mask = np.empty(self._game.action_count, dtype=np.int8)
        self.observe(self._game, np.array([own, opp], dtype=np.uint64), planes, mask)
        return planes, mask

    @cached_property
    def observe_idle(self) -> Callable[..., Any]:
        """A function ``(game, words, planes)`` that writes the planes of the player who is not to move."""
        return specialised(observe_idle, self._game, np.zeros(2, np.uint64), np.zeros((1, 1, 1), np.int8))

    @cached_property
    def other_view(self) -> Callable[..., tuple[int, int]]:
        """A function ``(game, own, opp) -> (own, opp)``, the position as the other player sees it."""
        return specialised(_other_view, self._game, _WORD, _WORD)

    @cached_property
    def decode(self) -> Callable[..., Any]:
        """A function ``(game, planes) -> (own, opp)``."""
        return specialised(_decode, self._game, np.zeros((1, 1, 1), np.int8))

    @cached_property
    def images(self) -> Callable[..., Any]:
        """A function ``(game, own, opp)`` that returns the symmetric images, uint64 of shape (symmetries, 2)."""
        return specialised(_images, self._game, _WORD, _WORD)


@kernel
def _advance(game: Any, own: Any, opp: Any, action: Any) -> Any:
    """Return the facts of the position after an action, or of the position itself if ``action`` is negative."""
    kept, allowed = False, np.uint64(0)
    if action >= 0:
        kept = keeps_turn(game, own, opp, np.uint64(action))
        own, opp = play(game, own, opp, np.uint64(action))
    outcome = np.int64(result(game, own, opp))
    if outcome == ONGOING:
        allowed = legal_bits(game, own, opp)
    return own, opp, outcome, kept, allowed


@kernel
def _legal_actions(game: Any, own: Any, opp: Any, packed: Any) -> None:
    """Set the bits of the legal actions in an array of bytes, the lowest bit first."""
    for number in range(action_count(game)):
        packed[number // 8] |= np.uint8(legal(game, own, opp, np.uint64(number))) << (number % 8)


@kernel
def _other_view(game: Any, own: Any, opp: Any) -> Any:
    return other_view(game, own, opp)


@kernel
def _decode(game: Any, planes: Any) -> Any:
    return decode(game, planes)


@kernel
def _images(game: Any, own: Any, opp: Any) -> Any:
    images = np.empty((symmetry_count(game), 2), dtype=np.uint64)
    for symmetry in range(len(images)):
        images[symmetry, 0], images[symmetry, 1] = transform(game, symmetry, own, opp)
    return images
