"""Games of two colours on a board of cells: the common base of Quixo, the m,n,k games and similar games.

A cell has the number ``row * cols + col``, counted from the top left, and the bit of this number in the words. Its name
is a column letter and a row number counted from the top: ``a1`` is the top left cell.
"""

import re
from abc import abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.drawing.board import column_name
from ci_envs.drawing.drawing import Drawing
from ci_envs.drawing.grid import PAPER, GridStyle, grid_drawing
from ci_envs.games.game import Game, bits
from ci_envs.games.operations import decode, observe, other_view, transform
from ci_envs.games.plane_text import grid_diagram
from ci_envs.kernels.bits import trailing_zeros
from ci_envs.kernels.compiler import inlined
from ci_envs.kernels.dispatch import implementing_class, implements
from ci_envs.kernels.lazy import cached_property

SYMBOLS = ".XO"
"""The symbols of an empty cell, a stone of player 0 and a stone of player 1 in texts."""


def cell_name(cell: int, cols: int) -> str:
    """Return the name of a cell, for example ``a1`` for the top left cell."""
    return f"{column_name(cell % cols)}{cell // cols + 1}"


@lru_cache
def cell_maps(rows: int, cols: int) -> NDArray[np.uint8]:
    """Return the symmetries of a board, 8 for a square, else 4.

    ``maps[s, cell]`` is the image of ``cell`` under symmetry ``s``. Symmetry 0 is the identity, 1 mirrors left and
    right, 2 mirrors top and bottom, and 3 is the rotation by 180 degrees. On a square, 4 to 7 also transpose the board.

    Examples:
        The symmetries of a game whose players move up, such as Breakthrough:

        >>> cell_maps(2, 3)[[0, 1]].tolist()
        [[0, 1, 2, 3, 4, 5], [2, 1, 0, 5, 4, 3]]
    """
    cells = np.arange(rows * cols).reshape(rows, cols)
    images = [cells, cells[:, ::-1], cells[::-1], cells[::-1, ::-1]]
    if rows == cols:
        images += [image.T for image in images]
    return np.array([np.argsort(image, axis=None) for image in images], dtype=np.uint8)


class BoardGame(Game):
    """Base class of games in which two players have stones in the cells of a ``rows`` x ``cols`` board."""

    @override
    def __post_init__(self) -> None:
        super().__post_init__()
        if callable(self.shape):
            raise TypeError(f"shape of {type(self).__name__} must be a property: write @property above it")
        rows, cols = self.shape[:2]
        if rows < 1 or cols < 1:
            raise ValueError(f"{type(self).__name__} has {rows} x {cols} cells: use at least one row and one column")
        if rows * cols > 64:
            raise ValueError(
                f"{type(self).__name__} has {rows} x {cols} = {rows * cols} cells: use at most 64 cells, because a word"
                " of a position has a bit for each cell, and 64 bits"
            )

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The numbers of rows and columns; a derived class can add numbers."""

    def other_cells(self) -> Sequence[int]:
        """Return where the other player sees each cell, as cell numbers. By default both see it in the same place.

        It is for a game that turns the board, for example because each player has the own side at the bottom. The map
        is its own inverse. :func:`~ci_envs.games.operations.other_view` and the names of actions follow it. For a board
        that is turned by 180 degrees return ``range(rows * cols)[::-1]``.
        """
        rows, cols = self.shape[:2]
        return range(rows * cols)

    @override
    def other_region(self, region: str) -> str:
        names = self.cell_names
        return names[self.other_cells()[names.index(region)]] if region in names else region

    @cached_property
    def cell_names(self) -> list[str]:
        """The names of the cells in the order of their numbers."""
        rows, cols = self.shape[:2]
        return [cell_name(cell, cols) for cell in range(rows * cols)]

    @cached_property
    @override
    def swaps_words(self) -> bool:
        cells = self.other_cells()
        return implementing_class(other_view, type(self)) is BoardGame and list(cells) == list(range(len(cells)))

    @property
    def style(self) -> GridStyle:
        """The style of pictures of the board."""
        return PAPER

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """The shape of two planes: the cells of the observing player, and the cells of the other player."""
        rows, cols = self.shape[:2]
        return rows, cols, 2

    @property
    def symmetry_count(self) -> int:
        """The number of symmetries of the board (:meth:`cell_maps`)."""
        return len(self.cell_maps())

    def cell_maps(self) -> NDArray[np.uint8]:
        """Return the symmetries of the game, in the format of :func:`cell_maps`. By default only the identity is one.

        A game with more symmetries also implements :func:`~ci_envs.games.operations.transform_action`.
        """
        rows, cols = self.shape[:2]
        return cell_maps(rows, cols)[:1]

    def start(self) -> tuple[int, int]:
        """Return the empty board."""
        return 0, 0

    def to_text(self, own: int, opp: int, to_move: int) -> str:
        """Return the rows from top to bottom separated by ``/``, then the player to move: ``X../.O./... X``."""
        return "/".join(self.symbols(own, opp, to_move)) + f" {SYMBOLS[1 + to_move]}"

    def from_text(self, text: str) -> tuple[int, int, int]:
        """Read a text that :meth:`to_text` wrote."""
        rows, cols = self.shape[:2]
        match = re.fullmatch(rf"([.XO]{{{cols}}}(?:/[.XO]{{{cols}}}){{{rows - 1}}}) ([XO])", text)
        if match is None:
            example = self.to_text(0, 0, 0)
            raise ValueError(
                f"{text!r} is not a position of {self}: give {rows} rows of {cols} symbols . X O separated by /,"
                f" then X or O to move, for example {example!r}"
            )
        cells = match[1].replace("/", "")
        stones = [sum(1 << cell for cell, symbol in enumerate(cells) if symbol == wanted) for wanted in "XO"]
        to_move = "XO".index(match[2])
        return *self.seen_by_first(stones[0], stones[1], to_move), to_move

    def diagram(self, own: int, opp: int, to_move: int) -> str:
        """Return the board with the names of columns and rows."""
        return grid_diagram(self.symbols(own, opp, to_move))

    def player_name(self, player: int) -> str:
        """Return X for player 0 and O for player 1."""
        return SYMBOLS[1 + player]

    def draw_board(self, own: int, opp: int, to_move: int) -> Drawing:
        """Return the stones in the :attr:`style` of the game."""
        return grid_drawing(self.symbols(own, opp, to_move), self.style)

    def symbols(self, own: int, opp: int, to_move: int) -> list[str]:
        """Return the rows of the board from the top, with a symbol ``.``, ``X`` or ``O`` for each cell."""
        rows, cols = self.shape[:2]
        cells = ["."] * (rows * cols)
        for word, symbol in zip(self.seen_by_first(own, opp, to_move), SYMBOLS[1:], strict=True):
            for cell in bits(word):
                cells[cell] = symbol
        return ["".join(cells[row * cols : (row + 1) * cols]) for row in range(rows)]


@implements(observe, BoardGame)
def _(game: BoardGame) -> Any:
    rows, cols = game.shape[:2]

    def kernel(game, own, opp, planes):
        for row in range(rows):
            for col in range(cols):
                cell = np.uint64(row * cols + col)
                planes[row, col, 0] = (own >> cell) & np.uint64(1)
                planes[row, col, 1] = (opp >> cell) & np.uint64(1)

    return kernel


@implements(decode, BoardGame)
def _(game: BoardGame) -> Any:
    rows, cols = game.shape[:2]

    def kernel(game, planes):
        own = opp = np.uint64(0)
        for row in range(rows):
            for col in range(cols):
                cell = np.uint64(row * cols + col)
                own |= np.uint64(planes[row, col, 0]) << cell
                opp |= np.uint64(planes[row, col, 1]) << cell
        return own, opp

    return kernel


@implements(transform, BoardGame)
def _(game: BoardGame) -> Any:
    maps = np.array(game.cell_maps(), dtype=np.uint64)
    cells = maps.shape[1]

    def kernel(game, symmetry, own, opp):
        new_own = new_opp = np.uint64(0)
        for cell in range(cells):
            image = maps[symmetry, cell]
            new_own |= ((own >> np.uint64(cell)) & np.uint64(1)) << image
            new_opp |= ((opp >> np.uint64(cell)) & np.uint64(1)) << image
        return new_own, new_opp

    return kernel


@inlined
def _moved(stones: Any, cells: Any) -> Any:
    image = np.uint64(0)
    while stones != np.uint64(0):
        image |= np.uint64(1) << cells[trailing_zeros(stones)]
        stones &= stones - np.uint64(1)
    return image


@implements(other_view, BoardGame)
def _(game: BoardGame) -> Any:
    cells = np.array(game.other_cells(), dtype=np.uint64)
    if game.swaps_words:
        return lambda game, own, opp: (opp, own)
    return lambda game, own, opp: (_moved(opp, cells), _moved(own, cells))
