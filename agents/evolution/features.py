"""Numbers that tell of a position what an evaluation can be made of, for any game.

They are worked out from the rules and seen by the player to move. Symmetric positions have equal features, so that a
weight is learned once for all images of a position. Where the words swap with the view (:class:`GridGame`), each
feature either changes its sign with it or stays as it is: the former say who is ahead, the latter what it is worth to
be on the move.
"""

from functools import singledispatch
from typing import Any

import numpy as np

from ci_envs.agents.evolution.lookahead_ga import safe_pieces
from ci_envs.games import Game, GridGame, action_count, implements, legal, popcount
from ci_envs.games.grid import lines_of
from ci_envs.games.nim import Nim
from ci_envs.games.quarto import Quarto, completing_cells, winning_cells
from ci_envs.kernels.dispatch import operation

_ONE = np.uint64(1)


@operation
def write_features(game: Any, own: Any, opp: Any, features: Any) -> None:
    """Write the features of a position that is not over, float64 (:func:`feature_names`,)."""


@singledispatch
def feature_names(game: Any) -> tuple[str, ...]:
    """What the features of positions of ``game`` are, in their order.

    Of a game of which nothing more is known: a constant, the share of all actions that are legal, and whether they are
    odd in number.
    """
    return "constant", "mobility", "mobility odd"


@implements(write_features, Game)
def _(game: Game) -> Any:
    def kernel(game: Any, own: Any, opp: Any, features: Any) -> None:
        mobility = 0
        for number in range(action_count(game)):
            mobility += legal(game, own, opp, np.uint64(number))
        features[0] = 1
        features[1] = mobility / action_count(game)
        features[2] = mobility % 2

    return kernel


@feature_names.register
def _of_grid(game: GridGame) -> tuple[str, ...]:
    """Lines in which one player has more cells, by both numbers, and cells, by where they are.

    Mobility is not among them: in Quixo it follows from the cells, in the m,n,k games both players have the same.
    """
    leads = [f"lines {more}:{less}" for more, less in _leads(game)]
    cells = [f"cells like {orbit[0]}" for orbit in _orbits(game)]
    return (*leads, *(f"{lead}, anyone's" for lead in leads), *cells)


def _leads(game: GridGame) -> list[tuple[int, int]]:
    """The numbers of cells that the two players can have in a line that is not even, while the game goes on."""
    n = game.shape[2]
    return [(more, less) for more in range(1, n) for less in range(min(more, n - more + 1))]


def _orbits(game: GridGame) -> list[tuple[int, ...]]:
    """The cells, those that symmetries take to each other together."""
    maps = game.cell_maps()
    return sorted({tuple(sorted({*maps[:, cell].tolist()})) for cell in range(maps.shape[1])})


@implements(write_features, GridGame)
def _(game: GridGame) -> Any:
    leads, width = _leads(game), game.shape[2] + 1
    lines = np.array(lines_of(*game.shape), dtype=np.uint64)
    orbits = np.array([sum(1 << cell for cell in orbit) for orbit in _orbits(game)], dtype=np.uint64)
    lead_count, line_count, orbit_count = len(leads), len(lines), len(orbits)
    # of what both have in a line: which feature it changes, and by how much; what is even changes feature 0 by 0
    place, sign = np.zeros(width * width, dtype=np.int64), np.zeros(width * width)
    for number, (more, less) in enumerate(leads):
        place[[more * width + less, less * width + more]] = number
        sign[[more * width + less, less * width + more]] = 1, -1
    size = abs(sign)

    def kernel(game: Any, own: Any, opp: Any, features: Any) -> None:
        for i in range(2 * lead_count):
            features[i] = 0
        for i in range(line_count):
            line = lines[np.uint64(i)]
            both = popcount(own & line) * np.uint64(width) + popcount(opp & line)
            features[place[both]] += sign[both]
            features[lead_count + place[both]] += size[both]
        for i in range(orbit_count):
            orbit = orbits[np.uint64(i)]
            features[2 * lead_count + i] = np.int64(popcount(own & orbit)) - np.int64(popcount(opp & orbit))

    return kernel


@feature_names.register
def _of_nim(game: Nim) -> tuple[str, ...]:
    """A constant, how many heaps have each size, and each binary digit of the nim-sum.

    The sizes are taken modulo ``limit + 1`` in the sum. With its digits a linear evaluation can say what Bouton's
    theorem says: that all of them are 0 is as bad as can be.
    """
    heaps = [f"heaps of {size}" for size in range(1, max(game.heaps) + 1)]
    return ("constant", *heaps, *(f"nim-sum {1 << digit}" for digit in range(game.limit.bit_length())))


@implements(write_features, Nim)
def _(game: Nim) -> Any:
    heaps, largest = len(game.heaps), max(game.heaps)
    digits, modulus = game.limit.bit_length(), np.uint64(game.limit + 1)

    def kernel(game: Any, own: Any, opp: Any, features: Any) -> None:
        for i in range(1 + largest):
            features[i] = 0
        total = np.uint64(0)
        for heap in range(heaps):
            size = (own >> np.uint64(8 * heap)) & np.uint64(255)
            features[size] += 1
            total ^= size % modulus
        features[0] = 1  # no longer how many heaps are empty
        for digit in range(digits):
            features[1 + largest + digit] = (total >> np.uint64(digit)) & _ONE

    return kernel


@feature_names.register
def _of_quarto(game: Quarto) -> tuple[str, ...]:
    """Nine features while a piece is placed, and the same while one is given; those of the other phase are 0."""
    names = (
        "constant",
        "fours with 1 alike",
        "fours with 2 alike",
        "fours with 3 alike",
        "safe pieces",
        "safe pieces odd",
        "pieces",
        "pieces odd",
        "piece in hand wins, or all do",
    )
    return tuple(f"{phase}: {name}" for phase in ("placing", "giving") for name in names)


@implements(write_features, Quarto)
def _(game: Quarto) -> Any:
    fours = np.array(game.fours(), dtype=np.uint64)
    four_count, half = len(fours), len(feature_names(game)) // 2
    lane = np.uint64(0xFFFF)

    def kernel(game: Any, own: Any, opp: Any, features: Any) -> None:
        for i in range(2 * half):
            features[i] = 0
        holding = (opp >> np.uint64(36)) & _ONE
        first = np.int64(0) if holding else np.int64(half)
        features[first] = 1
        for i in range(four_count):
            filled = opp & fours[np.uint64(i)]
            pieces = popcount(filled)
            if pieces == np.uint64(0) or pieces == np.uint64(4):
                continue
            alike = 0
            for attribute in range(4):
                having = (own >> np.uint64(16 * attribute)) & filled
                alike += (having == filled) + (having == np.uint64(0))
            features[first + np.int64(pieces)] += alike / 4
        having, lacking = completing_cells(game, own, opp)
        left = (~opp >> np.uint64(16)) & lane
        pieces, safe = popcount(left), popcount(safe_pieces(having, lacking, left))
        features[first + 4], features[first + 5] = np.float64(safe) / 16, safe & _ONE
        features[first + 6], features[first + 7] = np.float64(pieces) / 16, pieces & _ONE
        if holding:
            in_hand = (opp >> np.uint64(32)) & np.uint64(15)
            features[first + 8] = winning_cells(having, lacking, in_hand) != np.uint64(0)
        else:
            features[first + 8] = safe == np.uint64(0)

    return kernel
