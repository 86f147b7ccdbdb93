"""Nim: heaps of objects, from which a player takes one or more objects of one heap.

In normal play the player who takes the last object wins. In misere play that player loses. ``max_take`` limits the
number of objects per move. Theory: Bouton, "Nim, a game with a complete mathematical theory", Annals of Mathematics 3
(1901).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import factorial, prod
from typing import Annotated, Any, ClassVar

import numpy as np
from typing_extensions import override

from ci_envs.drawing.drawing import Drawing
from ci_envs.drawing.heaps import heaps_drawing
from ci_envs.games.game import Game
from ci_envs.games.operations import (
    LOSS,
    ONGOING,
    WIN,
    action_count,
    canonical,
    decode,
    initial,
    legal,
    legal_bits,
    observe,
    play,
    result,
    symmetry_count,
    transform,
    transform_action,
    write_features,
)
from ci_envs.kernels.compiler import inline_kernel, kernel
from ci_envs.kernels.dispatch import implements
from ci_envs.registry.options import Option, Untrusted

_MAX_HEAPS, _MAX_SIZE = 8, 255


@dataclass(frozen=True)
class Nim(Game):
    """Nim with up to 8 heaps of up to 255 objects, an optional limit ``max_take`` per move, normal or ``misere`` play.

    An action takes objects from a heap: ``2-3`` takes three objects from the second heap. It has the number
    ``heap * limit + count - 1`` (heaps from 0), where ``limit`` is the largest number of objects that any move can
    take. Byte ``i`` of the first word is the size of heap ``i``. The second word is zero.

    Examples:
        >>> from ci_envs import Nim, Position
        >>> position = Position.start(Nim((1, 3, 5)))
        >>> print(position.play("3-4"))
        1,3,1 1
    """

    heaps: Annotated[tuple[int, ...], Option("objects in each heap", ge=0, le=_MAX_SIZE, untrusted=Untrusted())] = (
        1,
        3,
        5,
        7,
    )
    max_take: Annotated[
        int | None,
        Option("maximum number of objects of a move; none is no limit", ge=1, le=_MAX_SIZE, untrusted=Untrusted()),
    ] = None
    misere: Annotated[bool, Option("whether the player who takes the last object loses", untrusted=Untrusted())] = False

    run_time_fields: ClassVar[tuple[str, ...]] = ("heaps", "max_take", "misere")
    run_time_names: ClassVar[tuple[str, ...]] = (
        "first_word",
        "heap_count",
        "largest",
        "limit",
        "limit_inverse",
        "period",
        "misere",
        "action_count",
        "symmetry_count",
    )
    shared_board: ClassVar[bool] = True
    solver: ClassVar[str | None] = "ci_envs.solver.nim:NimSolver"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= len(self.heaps) <= _MAX_HEAPS:
            raise ValueError(f"heaps must be 1 to {_MAX_HEAPS} sizes, not {self.heaps!r}")
        if not any(self.heaps):
            raise ValueError(f"heaps must hold at least one object, not {self.heaps!r}")

    @property
    def limit(self) -> int:
        """The largest number of objects that any move of this game can take."""
        return min(max(self.heaps), self.max_take or _MAX_SIZE)

    @property
    def limit_inverse(self) -> int:
        """The factor by which compiled code divides actions by :attr:`limit`, with 21 binary places.

        It is too large by less than 2^-21, so the error of a quotient is less than 2040 / 2^21 < 1 / 255.
        """
        return (1 << 21) // self.limit + 1

    @property
    def first_word(self) -> int:
        """The first word of the initial position."""
        return pack(self.heaps)

    @property
    def heap_count(self) -> int:
        """The number of heaps."""
        return len(self.heaps)

    @property
    def largest(self) -> int:
        """The size of the largest heap of the initial position."""
        return max(self.heaps)

    @property
    def period(self) -> int:
        """The modulus of heap sizes in the theory: ``max_take + 1``, or 256 without a limit."""
        return (self.max_take or _MAX_SIZE) + 1

    @property
    def position_count(self) -> int:
        """The number of positions that play can reach, including terminal positions."""
        return prod(heap + 1 for heap in self.heaps)

    @override
    def position_bound(self, own: int, opp: int) -> int:
        return self.position_count

    @property
    def action_count(self) -> int:
        """The number of heaps times :attr:`limit`."""
        return len(self.heaps) * self.limit

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """The shape of one plane, which has a row per heap with as many ones as the heap has objects."""
        return len(self.heaps), max(self.heaps), 1

    @property
    def symmetry_count(self) -> int:
        """The number of permutations of the heaps."""
        return factorial(len(self.heaps))

    def start(self) -> tuple[int, int]:
        """Return the initial position, with all objects."""
        return self.first_word, 0

    def action_name(self, action: int) -> str:
        """Return the heap, counted from 1, a minus sign, and the number of objects taken."""
        heap, count = divmod(action, self.limit)
        return f"{heap + 1}-{count + 1}"

    def to_text(self, own: int, opp: int, to_move: int) -> str:
        """Return the sizes separated by commas, then the player to move: ``1,3,5,7 0``."""
        return f"{','.join(map(str, self.sizes(own)))} {to_move}"

    def from_text(self, text: str) -> tuple[int, int, int]:
        """Read a text that :meth:`to_text` wrote. No heap may be larger than all initial heaps."""
        match = re.fullmatch(
            rf"(0|[1-9]\d{{0,2}})((?:,(?:0|[1-9]\d{{0,2}})){{{len(self.heaps) - 1}}}) ([01])", text, re.ASCII
        )
        sizes = [int(size) for size in (match[1] + match[2]).split(",")] if match else []
        if match is None or max(sizes) > max(self.heaps):
            example = self.to_text(pack(self.heaps), 0, 0)
            raise ValueError(
                f"{text!r} is not a position of {self}: give {len(self.heaps)} sizes from 0 to {max(self.heaps)},"
                f" then 0 or 1 to move, for example {example!r}"
            )
        return pack(sizes), 0, int(match[3])

    def sizes(self, own: int) -> tuple[int, ...]:
        """Return the sizes of the heaps in a first word."""
        return tuple(own.to_bytes(_MAX_HEAPS, "little")[: len(self.heaps)])

    def diagram(self, own: int, opp: int, to_move: int) -> str:
        """Return a row of bars for each heap."""
        return "\n".join(f"{heap}: {'| ' * size}({size})" for heap, size in enumerate(self.sizes(own), 1))

    def draw(self, own: int, opp: int, to_move: int) -> Drawing:
        """Return a picture of the heaps as rows of matches. Taken matches are shown as shadows."""
        return heaps_drawing(self.sizes(own), self.heaps)

    @property
    @override
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features: a constant, the number of heaps of each size, and the digits of the nim-sum.

        The digits are binary. The nim-sum uses the sizes modulo ``limit + 1``. With its digits a linear evaluation can
        express Bouton's theorem: a position with a nim-sum of 0 is lost.
        """
        heaps = [f"heaps of {size}" for size in range(1, max(self.heaps) + 1)]
        return ("constant", *heaps, *(f"nim-sum {1 << digit}" for digit in range(self.limit.bit_length())))

    @property
    @override
    def upright(self) -> bool:
        return True

    def trace(self, own: int, opp: int, action: int) -> tuple[str, ...]:
        """Return the shadows of the matches that the action took."""
        heap, count = divmod(action, self.limit)
        shadows = self.heaps[heap] - self.sizes(own)[heap]
        return tuple(f"{heap + 1}+{shadow}" for shadow in range(1, min(count + 1, shadows) + 1))


def pack(sizes: Iterable[int]) -> int:
    """Return the first word of heaps of these sizes."""
    return int.from_bytes(bytes(sizes), "little")


@implements(initial, Nim)
def _(game: Nim) -> Any:
    return lambda game: (np.uint64(game.first_word), np.uint64(0))


@implements(action_count, Nim)
def _(game: Nim) -> Any:
    return lambda game: game.action_count


@implements(symmetry_count, Nim)
def _(game: Nim) -> Any:
    return lambda game: game.symmetry_count


@inline_kernel
def size_of(own: Any, heap: Any) -> Any:
    """Return the size of a heap as uint64."""
    return (own >> (np.uint64(8) * np.uint64(heap))) & np.uint64(255)


@inline_kernel
def heap_and_count(game: Any, action: Any) -> Any:
    """Return the heap that an action takes from, and the number of objects that it takes, both uint64."""
    heap = (np.uint64(action) * np.uint64(game.limit_inverse)) >> np.uint64(21)
    return heap, np.uint64(action) - heap * np.uint64(game.limit) + np.uint64(1)


@implements(legal, Nim)
def _(game: Nim) -> Any:
    def kernel(game, own, opp, action):
        heap, count = heap_and_count(game, action)
        return count <= size_of(own, heap)

    return kernel


@implements(legal_bits, Nim)
def _(game: Nim) -> Any:
    def kernel(game, own, opp):
        bits, first, limit = np.uint64(0), np.uint64(0), np.uint64(game.limit)
        while own and first < np.uint64(64):
            most = min(own & np.uint64(255), limit)
            if most:
                bits |= (~np.uint64(0) >> (np.uint64(64) - min(most, np.uint64(64)))) << first
            first += limit
            own >>= np.uint64(8)
        return bits

    return kernel


@implements(play, Nim)
def _(game: Nim) -> Any:
    def kernel(game, own, opp, action):
        heap, count = heap_and_count(game, action)
        return own - (count << (np.uint64(8) * heap)), opp

    return kernel


@implements(result, Nim)
def _(game: Nim) -> Any:
    def kernel(game, own, opp):
        if own != np.uint64(0):
            return ONGOING
        return WIN if game.misere else LOSS

    return kernel


@implements(observe, Nim)
def _(game: Nim) -> Any:
    def kernel(game, own, opp, planes):
        for heap in range(game.heap_count):
            for k in range(size_of(own, heap)):
                planes[heap, k, 0] = 1

    return kernel


@implements(decode, Nim)
def _(game: Nim) -> Any:
    def kernel(game, planes):
        own = np.uint64(0)
        for heap in range(game.heap_count):
            size = np.uint64(0)
            for k in range(game.largest):
                size += np.uint64(planes[heap, k, 0])
            own |= size << np.uint64(8 * heap)
        return own, np.uint64(0)

    return kernel


_HEAP_NUMBERS = np.uint64(0x76543210)  # one hexadecimal digit per heap


@kernel
def _place_of(game: Any, symmetry: Any, heap: Any) -> Any:
    """Return the image of a heap under a permutation of the heaps. Permutations are in lexicographic order."""
    left, rest, ways = _HEAP_NUMBERS, np.uint64(symmetry), np.uint64(game.symmetry_count)
    for earlier in range(heap + 1):
        ways //= np.uint64(game.heap_count - earlier)  # number of orders of the later heaps
        digit = np.uint64(4) * (rest // ways)
        rest %= ways
        place = (left >> digit) & np.uint64(15)
        below = left & ((np.uint64(1) << digit) - np.uint64(1))
        left = below | ((left >> (digit + np.uint64(4))) << digit)
    return place


@implements(transform, Nim)
def _(game: Nim) -> Any:
    def kernel(game, symmetry, own, opp):
        image = np.uint64(0)
        for heap in range(game.heap_count):
            image |= size_of(own, heap) << (np.uint64(8) * _place_of(game, symmetry, heap))
        return image, opp

    return kernel


@implements(canonical, Nim)
def _(game: Nim) -> Any:
    def kernel(game, own, opp):
        image = np.uint64(0)
        for heap in range(game.heap_count):  # insertion sort, the largest first
            new = size_of(own, heap)
            below = np.uint64(0)
            while below < np.uint64(8 * heap) and (image >> below) & np.uint64(255) >= new:
                below += np.uint64(8)
            smaller = (image >> below) << below
            image = (image ^ smaller) | (new << below) | (smaller << np.uint64(8))
        return image, opp

    return kernel


@implements(transform_action, Nim)
def _(game: Nim) -> Any:
    def kernel(game, symmetry, action):
        heap, count = heap_and_count(game, action)
        return np.int64(_place_of(game, symmetry, heap) * np.uint64(game.limit) + count) - 1

    return kernel


@implements(write_features, Nim)
def _(game: Nim) -> Any:
    def kernel(game, own, opp, features):
        features[:] = 0
        total = np.uint64(0)
        for heap in range(game.heap_count):
            size = size_of(own, heap)
            features[size] += 1
            total ^= size % np.uint64(game.limit + 1)
        features[0] = 1  # replaces the number of empty heaps
        for digit in range(len(features) - 1 - game.largest):
            features[1 + game.largest + digit] = (total >> np.uint64(digit)) & np.uint64(1)

    return kernel
