"""Quarto (Blaise Mueller 1991): sixteen pieces, one for each combination of four two-valued attributes.

A player places the piece that the opponent gave on the 4 x 4 board, and then gives the opponent a piece. The player who
completes a row, column or diagonal of four pieces with a common attribute wins. It does not matter who placed the other
pieces. In the variant ``squares`` the nine 2 x 2 squares also count. A full board without such a line is a draw. The
player who places a piece moves again, to give one.
"""

import re
from dataclasses import dataclass
from math import comb, perm
from typing import Annotated, ClassVar

from typing_extensions import override

from ci_envs.drawing.drawing import Drawing
from ci_envs.drawing.quarto import quarto_drawing
from ci_envs.games.board import cell_name
from ci_envs.games.game import Game, bits
from ci_envs.games.grid import lines_of
from ci_envs.games.plane_text import grid_diagram
from ci_envs.games.quarto.layout import CELLS, HAND, HOLDING, LANE, PIECES, SQUARES, USED
from ci_envs.games.quarto.maps import board_maps, piece_maps
from ci_envs.registry.options import Option, Untrusted

FEATURES = (
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


@dataclass(frozen=True)
class Quarto(Game):
    """Quarto, with lines only or also with ``squares``.

    Actions 0 to 15 place the piece in hand on a cell (``b3``); actions 16 to 31 give a piece (``give5``). Bit ``i`` of
    a piece's number is its attribute ``i``: tall, dark, square, hollow. Lane ``i`` (16 bits) of the first word contains
    the cells with a piece that has attribute ``i``. The second word contains, from the lowest bit: the 16 occupied
    cells, the 16 pieces that were given, the number of the piece in hand (4 bits), and whether a piece is in hand.

    Examples:
        >>> from ci_envs import Position, Quarto
        >>> position = Position.start(Quarto())
        >>> [position.action_name(action) for action in position.legal_actions()[:3]]
        ['give0', 'give1', 'give2']
    """

    squares: Annotated[
        bool, Option("whether four pieces in a 2 x 2 square with a common attribute win too", untrusted=Untrusted())
    ] = False

    shared_board: ClassVar[bool] = True
    solver: ClassVar[str | None] = "ci_envs.solver.quarto:QuartoSolver"
    position_share: ClassVar[float] = 1 / 4  # measured below random positions: most games end before the board is full

    @property
    def action_count(self) -> int:
        """The number of actions: 16 cells and 16 pieces."""
        return CELLS + PIECES

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """The shape of ten planes: occupied, four attributes, whether a piece is in hand, its four attributes."""
        return 4, 4, 10

    @property
    def symmetry_count(self) -> int:
        """The number of symmetries: 32 of the board (8 with squares) times 384 of the pieces."""
        return len(board_maps(self.squares)) * len(piece_maps())

    def fours(self) -> tuple[int, ...]:
        """Return the masks of four cells that decide the game: the lines, and the squares if they count."""
        return lines_of(4, 4, 4) + (SQUARES if self.squares else ())

    def start(self) -> tuple[int, int]:
        """Return the initial position: an empty board and no piece in hand. Player 0 gives first."""
        return 0, 0

    def action_name(self, action: int) -> str:
        """Return the name of a cell to place on, or of a piece to give."""
        return cell_name(action, 4) if action < CELLS else f"give{action - CELLS:x}"

    def pieces(self, own: int, opp: int) -> list[int | None]:
        """Return the number of the piece on each cell, or None for an empty cell."""
        return [
            sum((own >> 16 * attribute + cell & 1) << attribute for attribute in range(4)) if opp >> cell & 1 else None
            for cell in range(CELLS)
        ]

    def pieces_left(self, opp: int) -> list[int]:
        """Return the pieces that were not given before."""
        return [piece for piece in range(PIECES) if not opp >> USED + piece & 1]

    def in_hand(self, opp: int) -> int | None:
        """Return the piece to place, or None if a piece is to be given."""
        return opp >> HAND & 15 if opp >> HOLDING & 1 else None

    def to_text(self, own: int, opp: int, to_move: int) -> str:
        """Return the rows of pieces (hexadecimal or ``.``), the piece in hand or ``-``, and the player to move."""
        return f"{'/'.join(self._rows(own, opp))} {_digit(self.in_hand(opp), '-')} {to_move}"

    def from_text(self, text: str) -> tuple[int, int, int]:
        """Read a text that :meth:`to_text` wrote. A piece that occurs twice or a wrong player to move is refused."""
        match = re.fullmatch(r"([.0-9a-f]{4}(?:/[.0-9a-f]{4}){3}) ([-0-9a-f]) ([01])", text)
        if match is None:
            raise ValueError(
                f"{text!r} is not a position of {self}: give 4 rows of 4 pieces (0 to f or .), the piece in hand or -,"
                f" then 0 or 1 to move, for example {self.to_text(0, 0, 0)!r}"
            )
        board, hand, to_move = match[1].replace("/", ""), match[2].strip("-"), int(match[3])
        used = board.replace(".", "") + hand
        if len(set(used)) < len(used):
            raise ValueError(f"{text!r} is not a position of {self}: a piece occurs twice")
        actor = len(used) % 2
        if to_move != actor:
            raise ValueError(f"{text!r} is not a position of {self}: player {actor} is to move")
        own = opp = 0
        for cell, digit in enumerate(board):
            if digit != ".":
                opp |= 1 << cell | 1 << USED + int(digit, 16)
                own |= sum(1 << 16 * attribute + cell for attribute in bits(int(digit, 16)))
        if hand:
            if self._quartos(own, opp):
                raise ValueError(f"{text!r} is not a position of {self}: after a quarto no piece is given")
            opp |= 1 << USED + int(hand, 16) | int(hand, 16) << HAND | 1 << HOLDING
        return own, opp, to_move

    def diagram(self, own: int, opp: int, to_move: int) -> str:
        """Return the board, the pieces left, and the piece in hand."""
        left = " ".join(f"{piece:x}" for piece in self.pieces_left(opp))
        hand = _digit(self.in_hand(opp), "none")
        return f"{grid_diagram(self._rows(own, opp))}\nleft: {left or 'none'}\nin hand: {hand}"

    def draw(self, own: int, opp: int, to_move: int) -> Drawing:
        """Return a picture of the board and of the remaining pieces beside it, with the piece in hand at the top."""
        return quarto_drawing(self.pieces(own, opp), self.in_hand(opp), self.pieces_left(opp))

    @property
    @override
    def upright(self) -> bool:
        return True

    def winning_lines(self, own: int, opp: int) -> tuple[tuple[str, ...], ...]:
        """Return the lines and, if they count, the squares of four pieces with a common attribute."""
        return tuple(tuple(cell_name(cell, 4) for cell in _around(four)) for four in self._quartos(own, opp))

    @property
    @override
    def feature_names(self) -> tuple[str, ...]:
        """The names of nine features for placing and of the same nine for giving. Features of the other phase are 0."""
        return tuple(f"{phase}: {name}" for phase in ("placing", "giving") for name in FEATURES)

    @override
    def position_bound(self, own: int, opp: int) -> int:
        empty = CELLS - (opp & int(LANE)).bit_count()
        return sum(comb(empty, k) * perm(empty, k) * (1 + empty - k) for k in range(empty + 1))

    def _quartos(self, own: int, opp: int) -> list[int]:
        lanes = [own >> 16 * attribute for attribute in range(4)]
        whole = [four for four in self.fours() if four & opp == four]
        return [four for four in whole if any(four & lane in (0, four) for lane in lanes)]

    def _rows(self, own: int, opp: int) -> list[str]:
        cells = [_digit(piece, ".") for piece in self.pieces(own, opp)]
        return ["".join(cells[row : row + 4]) for row in range(0, CELLS, 4)]


def _digit(piece: int | None, none: str) -> str:
    return none if piece is None else f"{piece:x}"


def _around(four: int) -> list[int]:
    """Return the cells of a line from end to end, or the cells of a square clockwise."""
    first, second, third, last = bits(four)
    return [first, second, last, third] if four in SQUARES else [first, second, third, last]
