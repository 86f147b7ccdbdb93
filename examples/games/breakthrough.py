"""Breakthrough, a game whose rules depend on the player: each player moves the stones away from the own side.

Each player begins with two rows of stones. A stone moves one cell forwards, straight or diagonally, into an empty cell.
Diagonally it can also capture a stone of the opponent. The player who reaches the far row, or who captures all stones
of the opponent, wins. (Dan Troyka, 2000.)

Try it with ``ci-envs play examples/games/breakthrough.py:Breakthrough human minimax:depth=4``. docs/adding_a_game.md
explains how a game is written.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import product
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
    cell_maps,
    cell_name,
    evaluate,
    implements,
    legal,
    may_end,
    other_view,
    play,
    popcount,
    result,
    transform_action,
)
from ci_envs.guides import BoardGuide, guide_of

ZERO, ONE = np.uint64(0), np.uint64(1)


@dataclass(frozen=True)
class Breakthrough(BoardGame):
    """Move your stones forwards and reach the far row.

    A player sees the own stones at the bottom, and moves up. So ``play`` turns the board by 180 degrees. An action is a
    move from a cell to one of the two or three cells in the row above it.
    """

    rows: Annotated[int, Option("rows of the board", ge=4, le=8, untrusted=Untrusted())] = 5
    cols: Annotated[int, Option("columns of the board", ge=2, le=8, untrusted=Untrusted())] = 5

    @property
    def shape(self) -> tuple[int, int]:
        """The size of the board."""
        return self.rows, self.cols

    @cached_property
    def moves(self) -> list[tuple[int, int]]:
        """The cells from and to which each action moves a stone."""
        cells = [(row, col) for row in range(1, self.rows) for col in range(self.cols)]
        ends = [(row, col, end) for row, col in cells for end in (col - 1, col, col + 1) if 0 <= end < self.cols]
        return [(row * self.cols + col, (row - 1) * self.cols + end) for row, col, end in ends]

    @property
    def action_count(self) -> int:
        """One action for each move."""
        return len(self.moves)

    def start(self) -> tuple[int, int]:
        """Return two rows of stones at the bottom, and two rows of the opponent at the top."""
        two_rows = (1 << 2 * self.cols) - 1
        return two_rows << (self.rows - 2) * self.cols, two_rows

    def action_name(self, action: int) -> str:
        """Return both cells, for example ``a4b3``."""
        return "".join(cell_name(cell, self.cols) for cell in self.moves[action])

    def other_cells(self) -> list[int]:
        """Return the cells of the board turned by 180 degrees."""
        return list(range(self.rows * self.cols))[::-1]

    def cell_maps(self) -> NDArray[np.uint8]:
        """Return the symmetries: the identity and the mirror image from left to right."""
        return cell_maps(self.rows, self.cols)[:2]

    def position_bound(self, own: int, opp: int) -> int:
        """Return the number of ways to place at most the stones that are left, so that solvers choose their method."""
        cells = self.rows * self.cols
        counts = product(range(own.bit_count() + 1), range(opp.bit_count() + 1))
        return sum(comb(cells, mine) * comb(cells - mine, theirs) for mine, theirs in counts)


@implements(legal, Breakthrough)
def _(game: Breakthrough) -> Any:
    starts, ends = (np.array(cells, dtype=np.uint64) for cells in zip(*game.moves, strict=True))
    straight = np.array([start - end == game.cols for start, end in game.moves])

    def kernel(game: Any, own: Any, opp: Any, action: Any) -> Any:
        blocked = own | opp if straight[action] else own
        return (own >> starts[action]) & ONE == ONE and (blocked >> ends[action]) & ONE == ZERO

    return kernel


@implements(play, Breakthrough)
def _(game: Breakthrough) -> Any:
    starts, ends = (ONE << np.array(cells, dtype=np.uint64) for cells in zip(*game.moves, strict=True))

    def kernel(game: Any, own: Any, opp: Any, action: Any) -> Any:
        return other_view(game, own ^ starts[action] | ends[action], opp & ~ends[action])

    return kernel


@implements(result, Breakthrough)
def _(game: Breakthrough) -> Any:
    home = np.uint64(((1 << game.cols) - 1) << (game.rows - 1) * game.cols)  # the row that the opponent wants to reach
    return lambda game, own, opp: LOSS if own == ZERO or opp & home != ZERO else ONGOING


@implements(may_end, Breakthrough)
def _(game: Breakthrough) -> Any:
    second = np.uint64(((1 << game.cols) - 1) << game.cols)  # one row before the far row
    return lambda game, own, opp, outcome: outcome == WIN and (own & second != ZERO or popcount(opp) == ONE)


@implements(transform_action, Breakthrough)
def _(game: Breakthrough) -> Any:
    numbers = {move: action for action, move in enumerate(game.moves)}
    maps = game.cell_maps().tolist()
    images = np.array([[numbers[cells[start], cells[end]] for start, end in game.moves] for cells in maps])
    return lambda game, symmetry, action: images[symmetry, action]


@implements(evaluate, Breakthrough)
def _(game: Breakthrough) -> Any:
    cells = np.arange(game.rows * game.cols).reshape(game.rows, game.cols)
    rows = np.array([sum(1 << cell for cell in row) for row in cells.tolist()], dtype=np.uint64)
    last = game.rows - 1

    def kernel(game: Any, own: Any, opp: Any) -> Any:
        value = 10 * (np.int64(popcount(own)) - np.int64(popcount(opp)))
        for row in range(last + 1):  # a stone counts more the further it has come
            value += (last - row) * np.int64(popcount(own & rows[row])) - row * np.int64(popcount(opp & rows[row]))
        return value

    return kernel


class BreakthroughGuide(BoardGuide):
    """The texts for players on the web page."""

    def how_to_play(self) -> str:
        """Return the rules for players."""
        return (
            "Move a stone one cell forwards, straight or diagonally, into an empty cell. X moves up and O moves down."
            " Diagonally you can also capture a stone of the other player. You win when you reach the far row or"
            " capture all stones."
        )

    def prompt(self, position: Position, clicked: tuple[str, ...]) -> str:
        """Ask for a stone, then for the cell to which it moves."""
        return "choose the cell to move to" if clicked else "choose a stone"


guide_of.register(Breakthrough, BreakthroughGuide)
register("Breakthrough-v0", Breakthrough)
