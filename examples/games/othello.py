"""Othello, a game with passes.

Players take turns to place a disc on an empty cell so that at least one row, column or diagonal has discs of the other
player, without a gap, between the new disc and another own disc. All these discs then change their colour. A player who
cannot do this passes. If neither player can, the player with more discs wins. (Goro Hasegawa, 1971.)

Try it with ``ci-envs play examples/games/othello.py:Othello human minimax:depth=4``. docs/adding_a_game.md explains how
a game is written.
"""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ci_envs import Option, Untrusted, register
from ci_envs.games import (
    DRAW,
    LOSS,
    ONGOING,
    WIN,
    BoardGame,
    GridStyle,
    cell_maps,
    cell_name,
    evaluate,
    implements,
    inlined,
    legal,
    legal_bits,
    play,
    popcount,
    result,
    transform_action,
)
from ci_envs.guides import BoardGuide, guide_of

ZERO, ONE = np.uint64(0), np.uint64(1)

CELL = '<rect x="2" y="2" width="96" height="96" fill="#2f8f5b"/>'
DISC = '<circle class="{0}" cx="50" cy="50" r="40" fill="{1}"/>'
STYLE = GridStyle(
    board="#1f5c3a",
    cells={".": CELL, "X": CELL + DISC.format("X", "#1d1d1d"), "O": CELL + DISC.format("O", "#f8f6f0")},
)


@dataclass(frozen=True)
class Othello(BoardGame):
    """Turn discs of the other player, and have more discs at the end.

    X moves first and has the dark discs. The start has X on the diagonal from the bottom left to the top right of the
    middle, and O on the other diagonal. A pass is an action, which is legal if no other action is legal. The game is
    over if the opponent cannot act either, so passes cannot repeat a position.
    """

    size: Annotated[int, Option("cells per side", ge=4, le=8, allowed="4, 6 or 8", untrusted=Untrusted())] = 6

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size % 2:
            raise ValueError(f"size must be 4, 6 or 8, not {self.size}")

    @property
    def shape(self) -> tuple[int, int]:
        """The size of the board."""
        return self.size, self.size

    @property
    def style(self) -> GridStyle:
        """Dark and light discs on green cells."""
        return STYLE

    @property
    def pass_number(self) -> int:
        """The number of the action ``pass``, after the numbers of the cells."""
        return self.size**2

    @property
    def action_count(self) -> int:
        """One action for each cell, and the pass."""
        return self.size**2 + 1

    def start(self) -> tuple[int, int]:
        """Return two discs of each player in the middle."""
        low, high = self.size // 2 - 1, self.size // 2
        cells = [1 << row * self.size + col for row, col in ((low, high), (high, low), (low, low), (high, high))]
        return cells[0] | cells[1], cells[2] | cells[3]

    def action_name(self, action: int) -> str:
        """Return the name of the cell, or ``pass``."""
        return "pass" if action == self.pass_number else cell_name(action, self.size)

    def cell_maps(self) -> NDArray[np.uint8]:
        """Return the eight symmetries of the square."""
        return cell_maps(self.size, self.size)

    def position_bound(self, own: int, opp: int) -> int:
        """Return the number of ways to fill the empty cells, or leave them empty, with discs of any colour."""
        discs = (own | opp).bit_count()
        bound: int = 2**discs * 3 ** (self.size**2 - discs)
        return bound


def steps_of(game: Othello) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64], int]:
    """Return how a step in each of the eight directions moves the bits of cells, and the longest run of turned discs.

    A step shifts the bits to the left by the first number, then to the right by the second one. The third number is a
    mask of the cells where a step on the board can end.
    """
    size, table = game.size, []
    for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
        shift = down * size + right
        cells = [
            row * size + col
            for row in range(size)
            for col in range(size)
            if 0 <= row - down < size and 0 <= col - right < size
        ]
        table.append((max(shift, 0), max(-shift, 0), sum(1 << cell for cell in cells)))
    lefts, rights, masks = np.array(table, dtype=np.uint64).T
    return lefts.copy(), rights.copy(), masks.copy(), size - 2


@inlined
def run(discs: Any, through: Any, steps: Any, direction: Any) -> Any:
    """Return the discs of ``through`` next to ``discs`` in a direction, without a gap, and the cells one step ahead."""
    lefts, rights, masks, length = steps
    left, right, mask = lefts[direction], rights[direction], masks[direction]
    found, ahead = ZERO, discs << left >> right & mask
    for _ in range(length):
        found |= ahead & through
        ahead = found << left >> right & mask
    return found, ahead


@inlined
def placements(own: Any, opp: Any, steps: Any) -> Any:
    """Return the cells where a disc of the player to move turns discs."""
    found = ZERO
    for direction in range(8):
        found |= run(own, opp, steps, direction)[1]
    return found & ~(own | opp)


@inlined
def turned(own: Any, opp: Any, disc: Any, steps: Any) -> Any:
    """Return the discs that change their colour if the player to move places a disc."""
    found = ZERO
    for direction in range(8):
        between, ahead = run(disc, opp, steps, direction)
        if ahead & own != ZERO:
            found |= between
    return found


@implements(legal, Othello)
def _(game: Othello) -> Any:
    steps, pass_number = steps_of(game), np.uint64(game.pass_number)

    def kernel(game: Any, own: Any, opp: Any, action: Any) -> Any:
        if action == pass_number:
            return placements(own, opp, steps) == ZERO
        disc = ONE << action
        return (own | opp) & disc == ZERO and turned(own, opp, disc, steps) != ZERO

    return kernel


@implements(legal_bits, Othello)
def _(game: Othello) -> Any:
    steps, pass_number = steps_of(game), np.uint64(game.pass_number)
    if game.action_count > 64:  # the pass has no bit
        return lambda game, own, opp: placements(own, opp, steps)

    def kernel(game: Any, own: Any, opp: Any) -> Any:
        found = placements(own, opp, steps)
        return found if found != ZERO else ONE << pass_number

    return kernel


@implements(play, Othello)
def _(game: Othello) -> Any:
    steps, pass_number = steps_of(game), np.uint64(game.pass_number)

    def kernel(game: Any, own: Any, opp: Any, action: Any) -> Any:
        if action == pass_number:
            return opp, own
        disc = ONE << action
        discs = turned(own, opp, disc, steps)
        return opp ^ discs, own | discs | disc

    return kernel


@implements(result, Othello)
def _(game: Othello) -> Any:
    steps = steps_of(game)

    def kernel(game: Any, own: Any, opp: Any) -> Any:
        if placements(own, opp, steps) != ZERO or placements(opp, own, steps) != ZERO:
            return ONGOING
        mine, theirs = popcount(own), popcount(opp)
        return WIN if mine > theirs else LOSS if mine < theirs else DRAW

    return kernel


@implements(transform_action, Othello)
def _(game: Othello) -> Any:
    images = np.array([[*cells, game.pass_number] for cells in game.cell_maps().tolist()])
    return lambda game, symmetry, action: images[symmetry, action]


@implements(evaluate, Othello)
def _(game: Othello) -> Any:
    steps, last = steps_of(game), game.size - 1
    corners = np.uint64(1 | 1 << last | 1 << last * game.size | 1 << game.size**2 - 1)

    def kernel(game: Any, own: Any, opp: Any) -> Any:
        mobility = np.int64(popcount(placements(own, opp, steps))) - np.int64(popcount(placements(opp, own, steps)))
        return mobility + 10 * (np.int64(popcount(own & corners)) - np.int64(popcount(opp & corners)))

    return kernel


class OthelloGuide(BoardGuide):
    """The texts for players on the web page."""

    def how_to_play(self) -> str:
        """Return the rules for players."""
        return (
            "Place a disc so that discs of the other player lie in a straight line, without a gap, between it and"
            " another disc of yours. They all become yours. If you cannot, you pass. The game ends when nobody can"
            " place a disc. The player with more discs wins. X has the dark discs."
        )


guide_of.register(Othello, OthelloGuide)
register("Othello-v0", Othello)
