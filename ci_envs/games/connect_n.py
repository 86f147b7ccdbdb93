"""The m,n,k games: tic-tac-toe, four in a row on six by six, and, with gravity, Connect Four.

Players take turns to place a stone on an empty cell. With gravity, the stone falls to the lowest empty cell of a
column. The first player with ``n`` stones in a row, column or diagonal wins. A full board without such a line is a
draw.
"""

from dataclasses import dataclass
from math import comb, prod
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.drawing.grid import DISCS, PAPER, GridStyle
from ci_envs.games.board import cell_maps, cell_name
from ci_envs.games.game import bits
from ci_envs.games.grid import GridGame, has_line, lines_of, nearly_full_lines
from ci_envs.games.operations import (
    DRAW,
    LOSS,
    ONGOING,
    WIN,
    legal,
    legal_bits,
    may_end,
    may_end_soon,
    play,
    result,
    transform_action,
)
from ci_envs.kernels.bits import popcount
from ci_envs.kernels.dispatch import implements
from ci_envs.registry.options import Option, Untrusted
from ci_envs.validation import integer_between


@dataclass(frozen=True)
class ConnectN(GridGame):
    """``n`` in a row on ``rows`` x ``cols`` cells (each 1 to 8; ``n`` fits on the board).

    An action is a cell, numbered from the top left (``b3``), or with ``gravity`` a column (``d``).

    Examples:
        >>> from ci_envs import ConnectN, Position
        >>> print(Position.start(ConnectN(rows=4, cols=5, n=3, gravity=True)).play("c").diagram())
          a b c d e
        1 . . . . .
        2 . . . . .
        3 . . . . .
        4 . . X . .
        O to move
    """

    rows: Annotated[int, Option("rows of the board", ge=1, le=8, untrusted=Untrusted())] = 6
    cols: Annotated[int, Option("columns of the board", ge=1, le=8, untrusted=Untrusted())] = 6
    n: Annotated[int, Option("stones in a row that win; they must fit on the board", ge=1, untrusted=Untrusted())] = 4
    gravity: Annotated[
        bool, Option("whether a stone falls to the lowest empty cell of its column", untrusted=Untrusted())
    ] = False

    solver: ClassVar[str | None] = "ci_envs.solver.connect_n:ConnectNSolver"

    def __post_init__(self) -> None:
        super().__post_init__()
        integer_between("n", self.n, 1, max(self.rows, self.cols))

    @property
    def shape(self) -> tuple[int, int, int]:
        """The numbers of rows and columns, and the length of a line."""
        return self.rows, self.cols, self.n

    @property
    def style(self) -> GridStyle:
        """The style of pictures: marks on squares, or with gravity discs in an upright board."""
        return DISCS if self.gravity else PAPER

    @property
    def action_count(self) -> int:
        """The number of cells, or with gravity of columns."""
        return self.cols if self.gravity else self.rows * self.cols

    def cell_maps(self) -> NDArray[np.uint8]:
        """Return the symmetries of the board. With gravity they are the identity and the mirror image."""
        return cell_maps(self.rows, self.cols)[:2] if self.gravity else super().cell_maps()

    def action_name(self, action: int) -> str:
        """Return the name of the cell, or with gravity the letter of the column."""
        return cell_name(action, self.cols)[:1] if self.gravity else cell_name(action, self.cols)

    def trace(self, own: int, opp: int, action: int) -> tuple[str, ...]:
        """Return the cell of the stone. With gravity it is the topmost stone of the column."""
        if not self.gravity:
            return self.targets(action)
        stones = (cell for cell in bits(own | opp) if cell % self.cols == action)
        return tuple(cell_name(cell, self.cols) for cell in stones)[:1]

    def from_text(self, text: str) -> tuple[int, int, int]:
        """Read a position. Wrong numbers of stones, stones in the air and lines of the player to move are refused."""
        own, opp, to_move = super().from_text(text)
        if opp.bit_count() - own.bit_count() != to_move:
            raise ValueError(
                f"{text!r} is not a position of {self}: X has as many stones as O and moves, or one more and O moves"
            )
        if self.gravity and ((own | opp) << self.cols & ~(own | opp)) & ((1 << self.rows * self.cols) - 1):
            raise ValueError(f"{text!r} is not a position of {self}: a stone is above an empty cell")
        if any(own & line == line for line in lines_of(*self.shape)):
            raise ValueError(f"{text!r} is not a position of {self}: the player to move has a full line already")
        return own, opp, to_move

    @override
    def position_bound(self, own: int, opp: int) -> int:
        stones = own | opp
        if self.gravity:  # a column with e empty cells can be filled in 2 ** (e + 1) - 1 ways
            columns = [sum(1 << row * self.cols + col for row in range(self.rows)) for col in range(self.cols)]
            return prod((1 << self.rows - (stones & column).bit_count() + 1) - 1 for column in columns)
        empty = self.rows * self.cols - stones.bit_count()
        return sum(comb(empty, (k + 1) // 2) * comb(empty - (k + 1) // 2, k // 2) for k in range(empty + 1))

    @property
    @override
    def upright(self) -> bool:
        return self.gravity


def TicTacToe(**parameters: Any) -> ConnectN:  # noqa: N802 - used like the class of a game
    """Return tic-tac-toe: three in a row on 3 x 3 cells.

    Args:
        **parameters: other parameters of :class:`ConnectN`, by name.

    Examples:
        >>> from ci_envs import TicTacToe
        >>> TicTacToe()
        ConnectN(rows=3, cols=3, n=3, gravity=False)
    """
    return ConnectN(**{"rows": 3, "cols": 3, "n": 3, **parameters})


def ConnectFour(**parameters: Any) -> ConnectN:  # noqa: N802
    """Return Connect Four: four in a row on 6 rows and 7 columns, with gravity.

    Args:
        **parameters: other parameters of :class:`ConnectN`, by name.

    Examples:
        >>> from ci_envs import ConnectFour
        >>> ConnectFour()
        ConnectN(rows=6, cols=7, n=4, gravity=True)
    """
    return ConnectN(**{"rows": 6, "cols": 7, "n": 4, "gravity": True, **parameters})


@implements(legal, ConnectN)
def _(game: ConnectN) -> Any:
    return lambda game, own, opp, action: ((own | opp) >> np.uint64(action)) & np.uint64(1) == np.uint64(0)


@implements(legal_bits, ConnectN)
def _(game: ConnectN) -> Any:
    actions = np.uint64((1 << game.action_count) - 1)
    return lambda game, own, opp: ~(own | opp) & actions


@implements(play, ConnectN)
def _(game: ConnectN) -> Any:
    one = np.uint64(1)

    def place(game, own, opp, action):
        return opp, own | (one << np.uint64(action))

    cols, last = np.uint64(game.cols), np.uint64(game.rows - 1)
    column = np.uint64(sum(1 << row * game.cols for row in range(game.rows)))

    def drop(game, own, opp, action):
        stones = popcount(((own | opp) >> np.uint64(action)) & column)
        return opp, own | (one << ((last - stones) * cols + np.uint64(action)))

    return drop if game.gravity else place


@implements(result, ConnectN)
def _(game: ConnectN) -> Any:
    full = np.uint64((1 << game.rows * game.cols) - 1)

    def kernel(game, own, opp):
        if has_line(game, opp):
            return LOSS
        return DRAW if own | opp == full else ONGOING

    return kernel


@implements(may_end, ConnectN)
def _(game: ConnectN) -> Any:
    return lambda game, own, opp, outcome: outcome == WIN and nearly_full_lines(game, own, opp, np.uint64(1)) > 0


@implements(may_end_soon, ConnectN)
def _(game: ConnectN) -> Any:
    def kernel(game, own, opp, outcome):  # each player places at most one of two stones
        if outcome == WIN:
            return nearly_full_lines(game, own, opp, np.uint64(1)) > 0
        return nearly_full_lines(game, opp, own, np.uint64(1)) > 0

    return kernel


@implements(transform_action, ConnectN)
def _(game: ConnectN) -> Any:
    images = game.cell_maps()[:, : game.action_count].astype(np.int64) % game.action_count
    return lambda game, symmetry, action: images[symmetry, action]
