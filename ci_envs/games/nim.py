"""Nim: heaps of objects, of which a player takes one or more from one heap.

In normal play whoever takes the last object wins, in misere play that player loses. With ``max_take`` at most so many
may be taken at once. Theory: Bouton, "Nim, a game with a complete mathematical theory", Annals of Mathematics 3 (1901).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations
from math import prod
from typing import Any, ClassVar

import numpy as np
from typing_extensions import override

from ci_envs.drawing.drawing import Drawing
from ci_envs.drawing.heaps import heaps_drawing
from ci_envs.games.game import Game
from ci_envs.games.operations import (
    LOSS,
    ONGOING,
    WIN,
    canonical,
    decode,
    legal,
    observe,
    play,
    result,
    transform,
    transform_action,
    write_features,
)
from ci_envs.kernels.dispatch import implements
from ci_envs.validation import integer_between, true_or_false

_MAX_HEAPS, _MAX_SIZE = 8, 255


@dataclass(frozen=True)
class Nim(Game):
    """Nim with up to 8 heaps of up to 255 objects, a bound ``max_take`` or none, normal or ``misere`` play.

    An action takes objects from a heap: ``2-3`` takes three from the second heap. It has the number
    ``heap * limit + count - 1`` (heaps from 0), where ``limit`` is how many can be taken at all. Byte ``i`` of the
    first word is the size of heap ``i``; the second word is zero.
    """

    heaps: tuple[int, ...] = (1, 3, 5, 7)
    max_take: int | None = None
    misere: bool = False

    shared_board: ClassVar[bool] = True
    solver: ClassVar[str | None] = "ci_envs.solver.nim:NimSolver"

    def __post_init__(self) -> None:
        heaps = tuple(self.heaps) if isinstance(self.heaps, Iterable) else (self.heaps,)
        if not 1 <= len(heaps) <= _MAX_HEAPS:
            raise ValueError(f"heaps must be 1 to {_MAX_HEAPS} sizes, not {self.heaps!r}")
        object.__setattr__(self, "heaps", tuple(integer_between("a heap", heap, 0, _MAX_SIZE) for heap in heaps))
        if not any(self.heaps):
            raise ValueError(f"heaps must hold at least one object, not {self.heaps!r}")
        if self.max_take is not None:
            object.__setattr__(self, "max_take", integer_between("max_take", self.max_take, 1, _MAX_SIZE))
        true_or_false("misere", self.misere)

    @property
    def limit(self) -> int:
        """The most objects that any move of this game can take."""
        return min(max(self.heaps), self.max_take or _MAX_SIZE)

    @property
    def position_count(self) -> int:
        """The number of positions that play can reach, those at the end included."""
        return prod(heap + 1 for heap in self.heaps)

    @override
    def position_bound(self, own: int, opp: int) -> int:
        return self.position_count

    @property
    def action_count(self) -> int:
        """Heaps times the most objects a move can take."""
        return len(self.heaps) * self.limit

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """One plane with a row a heap, in which as many cells are 1 as objects are left."""
        return len(self.heaps), max(self.heaps), 1

    @property
    def symmetry_count(self) -> int:
        """The heaps can be put in any order."""
        return len(self.orders())

    def orders(self) -> list[tuple[int, ...]]:
        """The permutations of the heaps, the identity first: heap ``i`` goes to place ``order[i]``."""
        return list(permutations(range(len(self.heaps))))

    def start(self) -> tuple[int, int]:
        """All heaps whole."""
        return pack(self.heaps), 0

    def action_name(self, action: int) -> str:
        """The heap, counted from 1, minus the objects taken."""
        heap, count = divmod(action, self.limit)
        return f"{heap + 1}-{count + 1}"

    def to_text(self, own: int, opp: int, to_move: int) -> str:
        """The sizes separated by commas, then who moves: ``1,3,5,7 0``."""
        return f"{','.join(map(str, self.sizes(own)))} {to_move}"

    def from_text(self, text: str) -> tuple[int, int, int]:
        """Read what :meth:`to_text` wrote; no heap may exceed the largest of the start."""
        match = re.fullmatch(
            rf"(0|[1-9]\d{{0,2}})((?:,(?:0|[1-9]\d{{0,2}})){{{len(self.heaps) - 1}}}) ([01])", text, re.ASCII
        )
        sizes = [int(size) for size in (match[1] + match[2]).split(",")] if match else []
        if match is None or max(sizes) > max(self.heaps):
            example = self.to_text(pack(self.heaps), 0, 0)
            raise ValueError(
                f"{text!r} is no position of {self}: {len(self.heaps)} sizes from 0 to {max(self.heaps)},"
                f" then 0 or 1 to move: {example!r}"
            )
        return pack(sizes), 0, int(match[3])

    def sizes(self, own: int) -> tuple[int, ...]:
        """The sizes of the heaps in a first word."""
        return tuple(own.to_bytes(_MAX_HEAPS, "little")[: len(self.heaps)])

    def diagram(self, own: int, opp: int, to_move: int) -> str:
        """A row of bars a heap."""
        return "\n".join(f"{heap}: {'| ' * size}({size})" for heap, size in enumerate(self.sizes(own), 1))

    def draw(self, own: int, opp: int, to_move: int) -> Drawing:
        """The heaps as rows of matches, those taken left as shadows."""
        return heaps_drawing(self.sizes(own), self.heaps)

    @property
    @override
    def feature_names(self) -> tuple[str, ...]:
        """A constant, the number of heaps of each size, and each binary digit of the nim-sum.

        In the sum the sizes are taken modulo ``limit + 1``. With its digits a linear evaluation can express Bouton's
        theorem: a nim-sum of 0 is lost.
        """
        heaps = [f"heaps of {size}" for size in range(1, max(self.heaps) + 1)]
        return ("constant", *heaps, *(f"nim-sum {1 << digit}" for digit in range(self.limit.bit_length())))

    def trace(self, own: int, opp: int, action: int) -> tuple[str, ...]:
        """The shadows of what was taken."""
        heap, count = divmod(action, self.limit)
        shadows = self.heaps[heap] - self.sizes(own)[heap]
        return tuple(f"{heap + 1}+{shadow}" for shadow in range(1, min(count + 1, shadows) + 1))


def pack(sizes: Iterable[int]) -> int:
    """The first word of heaps of these sizes."""
    return int.from_bytes(bytes(sizes), "little")


@implements(legal, Nim)
def _(game: Nim) -> Any:
    limit = np.uint64(game.limit)

    def kernel(game, own, opp, action):
        return np.uint64(action) % limit < (own >> (np.uint64(8) * (np.uint64(action) // limit))) & np.uint64(255)

    return kernel


@implements(play, Nim)
def _(game: Nim) -> Any:
    limit = np.uint64(game.limit)

    def kernel(game, own, opp, action):
        return own - ((np.uint64(action) % limit + np.uint64(1)) << (np.uint64(8) * (np.uint64(action) // limit))), opp

    return kernel


@implements(result, Nim)
def _(game: Nim) -> Any:
    at_the_end = WIN if game.misere else LOSS
    return lambda game, own, opp: at_the_end if own == np.uint64(0) else ONGOING


@implements(observe, Nim)
def _(game: Nim) -> Any:
    heaps = len(game.heaps)

    def kernel(game, own, opp, planes):
        for heap in range(heaps):
            for k in range((own >> np.uint64(8 * heap)) & np.uint64(255)):
                planes[heap, k, 0] = 1

    return kernel


@implements(decode, Nim)
def _(game: Nim) -> Any:
    heaps, width, _ = game.observation_shape

    def kernel(game, planes):
        own = np.uint64(0)
        for heap in range(heaps):
            size = np.uint64(0)
            for k in range(width):
                size += np.uint64(planes[heap, k, 0])
            own |= size << np.uint64(8 * heap)
        return own, np.uint64(0)

    return kernel


@implements(transform, Nim)
def _(game: Nim) -> Any:
    orders = np.array(game.orders(), dtype=np.uint64)
    heaps = len(game.heaps)

    def kernel(game, symmetry, own, opp):
        image = np.uint64(0)
        for heap in range(heaps):
            image |= ((own >> np.uint64(8 * heap)) & np.uint64(255)) << (np.uint64(8) * orders[symmetry, heap])
        return image, opp

    return kernel


@implements(canonical, Nim)
def _(game: Nim) -> Any:
    heaps = len(game.heaps)
    size = np.uint64(255)

    def kernel(game, own, opp):
        image = np.uint64(0)
        for heap in range(heaps):  # put in its place among those before, the largest first
            new = (own >> np.uint64(8 * heap)) & size
            below = np.uint64(0)
            while below < np.uint64(8 * heap) and (image >> below) & size >= new:
                below += np.uint64(8)
            smaller = (image >> below) << below
            image = (image ^ smaller) | (new << below) | (smaller << np.uint64(8))
        return image, opp

    return kernel


@implements(transform_action, Nim)
def _(game: Nim) -> Any:
    orders = np.array(game.orders(), dtype=np.int64)
    limit = game.limit
    return lambda game, symmetry, action: orders[symmetry, action // limit] * limit + action % limit


@implements(write_features, Nim)
def _(game: Nim) -> Any:
    heaps, largest = len(game.heaps), max(game.heaps)
    digits, modulus = game.limit.bit_length(), np.uint64(game.limit + 1)

    def kernel(game, own, opp, features):
        for i in range(1 + largest):
            features[i] = 0
        total = np.uint64(0)
        for heap in range(heaps):
            size = (own >> np.uint64(8 * heap)) & np.uint64(255)
            features[size] += 1
            total ^= size % modulus
        features[0] = 1  # no longer how many heaps are empty
        for digit in range(digits):
            features[1 + largest + digit] = (total >> np.uint64(digit)) & np.uint64(1)

    return kernel
