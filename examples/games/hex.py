"""Hex, a game whose players see different boards: each player connects the own two sides.

Players take turns to place a stone on an empty cell of a rhombus of hexagons. X connects the upper side with the lower
side, and O connects the left side with the right side. A full board always has exactly one such connection, so the game
cannot be drawn. (Piet Hein, 1942; John Nash, 1948.)

The option ``swap`` shows what to do at the limit of two words. A player can swap at most once, so a position must tell
whether it has happened. On 8 x 8 cells all bits of both words are cells, and there is no bit for this. But only one
position is ambiguous: the board has one stone, which belongs to the opponent of the player to move. If this stone has
been swapped, both words contain all other cells, too. So the stones of the player to move are always ``own & ~opp``,
those of the opponent are ``opp & ~own``, and the stones of both are ``own ^ opp``.

Try it with ``ci-envs play examples/games/hex.py:Hex human minimax:depth=2``. docs/adding_a_game.md explains how a game
is written.
"""

from dataclasses import dataclass
from math import comb
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ci_envs import Option, Position, Untrusted, register
from ci_envs.games import (
    LOSS,
    ONGOING,
    WIN,
    BoardGame,
    Drawing,
    cell_maps,
    cell_name,
    decode,
    evaluate,
    hex_drawing,
    implements,
    inlined,
    legal,
    legal_bits,
    may_end,
    observe,
    other_view,
    play,
    popcount,
    result,
    transform_action,
)
from ci_envs.guides import BoardGuide, guide_of

ZERO, ONE = np.uint64(0), np.uint64(1)


@dataclass(frozen=True)
class Hex(BoardGame):
    """Connect your two sides of the board.

    A player sees the own sides at the top and at the bottom. So ``play`` transposes the board: it mirrors the board in
    the diagonal from the top left to the bottom right, which keeps all neighbours.

    With ``swap`` the second player can take the first stone instead of placing one. The stone then belongs to O and
    moves to the transposed cell, where it is for O what it was for X. The third plane of an observation then says
    whether the player to move can do this.
    """

    size: Annotated[int, Option("cells per side", ge=2, le=8, untrusted=Untrusted())] = 5
    swap: Annotated[bool, Option("whether the second player can take the first stone", untrusted=Untrusted())] = False

    @property
    def shape(self) -> tuple[int, int]:
        """The size of the board."""
        return self.size, self.size

    @property
    def cells(self) -> int:
        """The number of cells, which is also the number of the action ``swap``."""
        return self.size**2

    @property
    def action_count(self) -> int:
        """One action for each cell, and the swap."""
        return self.cells + self.swap

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """The shape of a plane for each player, and with ``swap`` one for the right to swap."""
        return self.size, self.size, 2 + self.swap

    def action_name(self, action: int) -> str:
        """Return the name of the cell, or ``swap``."""
        return "swap" if action == self.cells else cell_name(action, self.size)

    def other_cells(self) -> list[int]:
        """Return the cells of the transposed board."""
        return [col * self.size + row for row in range(self.size) for col in range(self.size)]

    def cell_maps(self) -> NDArray[np.uint8]:
        """Return the symmetries: the identity and the rotation by 180 degrees."""
        return cell_maps(self.size, self.size)[[0, 3]]

    def symbols(self, own: int, opp: int, to_move: int) -> list[str]:
        """Return the symbols of the stones, which are in one word only."""
        return super().symbols(own & ~opp, opp & ~own, to_move)

    def to_text(self, own: int, opp: int, to_move: int) -> str:
        """Return the board and the player to move, and ``swapped`` just after the swap."""
        return super().to_text(own, opp, to_move) + (" swapped" if own & opp else "")

    def from_text(self, text: str) -> tuple[int, int, int]:
        """Read a text that :meth:`to_text` wrote."""
        own, opp, to_move = super().from_text(text.removesuffix(" swapped"))
        if text.endswith(" swapped"):
            if not self.swap or to_move == 1 or own or opp.bit_count() != 1:
                raise ValueError(f"{text!r} is not a position of {self}: only O can swap, and has then the only stone")
            own, opp = all_cells(self) ^ opp, all_cells(self)
        return own, opp, to_move

    def draw_board(self, own: int, opp: int, to_move: int) -> Drawing:
        """Return a rhombus of hexagons with the sides of both players."""
        return hex_drawing(self.symbols(own, opp, to_move))

    def diagram(self, own: int, opp: int, to_move: int) -> str:
        """Return the board with its rows shifted to the right, as in the picture."""
        head, *rows = super().diagram(own, opp, to_move).splitlines()
        return "\n".join([head, *(" " * number + row for number, row in enumerate(rows))])

    def position_bound(self, own: int, opp: int) -> int:
        """Return in how many ways the players can fill some of the empty cells, and one for each swap."""
        empty = self.cells - (own ^ opp).bit_count()
        return self.cells + sum(comb(empty, k) * comb(k, k // 2) for k in range(empty + 1))


def all_cells(game: Hex) -> int:
    """Return the bits of all cells."""
    return (1 << game.cells) - 1


@inlined
def has_one_stone(own: Any, opp: Any) -> Any:
    """Return whether the board has one stone and no swap has happened."""
    return popcount(own | opp) == ONE


@inlined
def can_swap(own: Any, opp: Any) -> Any:
    """Return whether the player to move can take the only stone."""
    return own == ZERO and popcount(opp) == ONE


@implements(legal, Hex)
def _(game: Hex) -> Any:
    swap = np.uint64(game.cells)

    def kernel(game: Any, own: Any, opp: Any, action: Any) -> Any:
        return can_swap(own, opp) if action == swap else ((own ^ opp) >> action) & ONE == ZERO

    return kernel


@implements(legal_bits, Hex)
def _(game: Hex) -> Any:
    board, swap = np.uint64(all_cells(game)), np.uint64(game.cells)
    if game.swap and game.action_count <= 64:
        return lambda game, own, opp: board & ~(own ^ opp) | np.uint64(can_swap(own, opp)) << swap
    return lambda game, own, opp: board & ~(own ^ opp)


@implements(play, Hex)
def _(game: Hex) -> Any:
    board, swap = np.uint64(all_cells(game)), np.uint64(game.cells)

    def kernel(game: Any, own: Any, opp: Any, action: Any) -> Any:
        if action == swap:  # transposed twice, for the new owner and for the player to move, so it keeps its bit
            return board ^ opp, board
        return other_view(game, own & ~opp | ONE << action, opp & ~own)

    return kernel


@implements(transform_action, Hex)
def _(game: Hex) -> Any:
    images = np.array([[*cells, game.cells] for cells in game.cell_maps().tolist()])
    return lambda game, symmetry, action: images[symmetry, action]


def sides(game: Hex) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the cells of the upper, lower, left and right side."""
    size = game.size
    upper, left = (1 << size) - 1, sum(1 << row * size for row in range(size))
    return np.uint64(upper), np.uint64(upper << size * (size - 1)), np.uint64(left), np.uint64(left << size - 1)


@inlined
def with_neighbours(cells: Any, size: Any, left: Any, right: Any) -> Any:
    """Return cells and their neighbours. ``left`` and ``right`` are the sides, where a row ends."""
    to_left, to_right = cells & ~left, cells & ~right
    same_row = cells | to_left >> ONE | to_right << ONE
    return same_row | cells >> size | cells << size | to_right >> (size - ONE) | to_left << (size - ONE)


@inlined
def joined(start: Any, stones: Any, size: Any, left: Any, right: Any) -> Any:
    """Return the stones in ``start``, and all stones that chains of neighbours join to them."""
    found, before = start & stones, ZERO
    while found != before:
        before = found
        found = with_neighbours(found, size, left, right) & stones
    return found


@implements(result, Hex)
def _(game: Hex) -> Any:
    size = np.uint64(game.size)
    _, _, left, right = sides(game)

    def kernel(game: Any, own: Any, opp: Any) -> Any:
        stones = opp & ~own
        if popcount(stones) < size:
            return ONGOING
        return LOSS if joined(left, stones, size, left, right) & right != ZERO else ONGOING

    return kernel


@implements(may_end, Hex)
def _(game: Hex) -> Any:
    size = np.uint64(game.size)
    return lambda game, own, opp, outcome: outcome == WIN and popcount(own & ~opp) + ONE >= size


@implements(evaluate, Hex)
def _(game: Hex) -> Any:
    size, board = np.uint64(game.size), np.uint64(all_cells(game))
    upper, lower, left, right = sides(game)

    def kernel(game: Any, own: Any, opp: Any) -> Any:
        empty, value = board & ~(own ^ opp), 0
        for mine in (True, False):  # how many stones the opponent lacks for a connection, less the own number
            stones = own & ~opp if mine else opp & ~own
            start, goal = (upper, lower) if mine else (left, right)
            found = joined(start, stones, size, left, right)
            while found & goal == ZERO:
                stones |= (start | with_neighbours(found, size, left, right)) & empty
                found = joined(start, stones, size, left, right)
                value += -1 if mine else 1
        return value

    return kernel


@implements(observe, Hex)
def _(game: Hex) -> Any:
    def kernel(game: Any, own: Any, opp: Any, planes: Any) -> Any:
        swap = planes.shape[2] == 3 and has_one_stone(own, opp)
        for row in range(planes.shape[0]):
            for col in range(planes.shape[1]):
                cell = np.uint64(row * planes.shape[1] + col)
                planes[row, col, 0] = ((own & ~opp) >> cell) & ONE
                planes[row, col, 1] = ((opp & ~own) >> cell) & ONE
                if swap:
                    planes[row, col, 2] = 1

    return kernel


@implements(decode, Hex)
def _(game: Hex) -> Any:
    board = np.uint64(all_cells(game))

    def kernel(game: Any, planes: Any) -> Any:
        own = opp = ZERO
        for row in range(planes.shape[0]):
            for col in range(planes.shape[1]):
                cell = np.uint64(row * planes.shape[1] + col)
                own |= np.uint64(planes[row, col, 0]) << cell
                opp |= np.uint64(planes[row, col, 1]) << cell
        if planes.shape[2] == 3 and has_one_stone(own, opp) and planes[0, 0, 2] == 0:
            return board ^ opp, board ^ own
        return own, opp

    return kernel


class HexGuide(BoardGuide):
    """The texts for players on the web page."""

    def how_to_play(self) -> str:
        """Return the rules for players."""
        swap = " Instead of the first own stone, O can take X's stone, which is then mirrored in the diagonal."
        return (
            "Place a stone on an empty cell. X wins by connecting the upper side with the lower side, and O by"
            f" connecting the left side with the right side.{swap if self.game.swap else ''}"
        )

    def prompt(self, position: Position, clicked: tuple[str, ...]) -> str:
        """Ask for a cell."""
        return "choose an empty cell"


guide_of.register(Hex, HexGuide)
register("Hex-v0", Hex)
