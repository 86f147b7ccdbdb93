"""Quarto (Blaise Mueller 1991): sixteen pieces, one for each combination of four two-valued attributes.

A player places the piece that the opponent gave on the 4 x 4 board, and then gives the opponent a piece. The player who
completes a row, column or diagonal of four pieces with a common attribute wins. It does not matter who placed the other
pieces. In the variant ``squares`` the nine 2 x 2 squares also count. A full board without such a line is a draw. The
player who places a piece moves again, to give one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import comb, perm
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.drawing.drawing import Drawing
from ci_envs.drawing.quarto import quarto_drawing
from ci_envs.games.board import cell_maps, cell_name
from ci_envs.games.game import Game, bits
from ci_envs.games.grid import line_steps, lines_of
from ci_envs.games.operations import (
    DRAW,
    ONGOING,
    WIN,
    canonical,
    decode,
    keeps_turn,
    legal,
    may_end,
    observe,
    play,
    result,
    transform,
    transform_action,
    write_features,
)
from ci_envs.games.plane_text import grid_diagram
from ci_envs.kernels.bits import popcount, trailing_zeros
from ci_envs.kernels.compiler import kernel
from ci_envs.kernels.dispatch import implements, operation
from ci_envs.registry.options import Option, Untrusted

_CELLS = _PIECES = 16
_USED, _HAND, _HOLDING = 16, 32, 36  # the first bits of the fields of the second word

_SQUARES = tuple(0x33 << cell for cell in bits(0x0777))
_LANE = np.uint64(0xFFFF)
_LANES = np.uint64(0x0001_0001_0001_0001)
# the pieces that have each attribute, as bit sets
_HAVING = np.array([sum(1 << piece for piece in range(16) if piece >> i & 1) for i in range(4)], dtype=np.uint64)
# the attributes of each piece, as the lowest bits of the lanes
_SPREAD = np.array([sum(1 << 16 * bit for bit in bits(piece)) for piece in range(_PIECES)], dtype=np.uint64)

_CELL_NAMES = tuple(cell_name(cell, 4) for cell in range(_CELLS))
_PROPERTIES = (("short", "tall"), ("light", "dark"), ("round", "square"), ("solid", "hollow"))

_FEATURES = (
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
    position_share: ClassVar[float] = 1 / 4  # measured below random positions: most games end before the board is full

    @property
    def action_count(self) -> int:
        """The number of actions: 16 cells and 16 pieces."""
        return _CELLS + _PIECES

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
        return lines_of(4, 4, 4) + (_SQUARES if self.squares else ())

    def start(self) -> tuple[int, int]:
        """Return the initial position: an empty board and no piece in hand. Player 0 gives first."""
        return 0, 0

    def action_name(self, action: int) -> str:
        """Return the name of a cell to place on, or of a piece to give."""
        return cell_name(action, 4) if action < _CELLS else f"give{action - _CELLS:x}"

    def pieces(self, own: int, opp: int) -> list[int | None]:
        """Return the number of the piece on each cell, or None for an empty cell."""
        return [
            sum((own >> 16 * attribute + cell & 1) << attribute for attribute in range(4)) if opp >> cell & 1 else None
            for cell in range(_CELLS)
        ]

    def in_hand(self, opp: int) -> int | None:
        """Return the piece to place, or None if a piece is to be given."""
        return opp >> _HAND & 15 if opp >> _HOLDING & 1 else None

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
                opp |= 1 << cell | 1 << _USED + int(digit, 16)
                own |= sum(1 << 16 * attribute + cell for attribute in bits(int(digit, 16)))
        if hand:
            if self._quartos(own, opp):
                raise ValueError(f"{text!r} is not a position of {self}: after a quarto no piece is given")
            opp |= 1 << _USED + int(hand, 16) | int(hand, 16) << _HAND | 1 << _HOLDING
        return own, opp, to_move

    def diagram(self, own: int, opp: int, to_move: int) -> str:
        """Return the board, the pieces left, and the piece in hand."""
        left = " ".join(f"{piece:x}" for piece in range(_PIECES) if not opp >> _USED + piece & 1)
        hand = _digit(self.in_hand(opp), "none")
        return f"{grid_diagram(self._rows(own, opp))}\nleft: {left or 'none'}\nin hand: {hand}"

    def draw(self, own: int, opp: int, to_move: int) -> Drawing:
        """Return a picture of the board and of the remaining pieces beside it, with the piece in hand at the top."""
        left = [piece for piece in range(_PIECES) if not opp >> _USED + piece & 1]
        return quarto_drawing(self.pieces(own, opp), self.in_hand(opp), left)

    @property
    @override
    def how_to_play(self) -> str:
        fours = "a row, column or diagonal" + (" or a square of 2 x 2 cells" if self.squares else "")
        return (
            "There are 16 different pieces: each is tall or short, dark or light, square or round, hollow or solid."
            " Your opponent chooses a piece and gives it to you. Place it on an empty cell of the 4 x 4 board, then"
            " choose a piece that your opponent must place. You win by placing the fourth piece of"
            f" {fours} in which all four pieces have a property in common; it does not matter who placed the other"
            " pieces. If the board is"
            " full and nobody has won, the game is a draw."
        )

    @property
    @override
    def example(self) -> tuple[str, str]:
        return "135./...8/..../..2. 7 0", "d1"

    @property
    @override
    def upright(self) -> bool:
        return True

    @override
    def contents(self, own: int, opp: int, to_move: int, region: str) -> str:
        if region.startswith("give"):
            piece = int(region[4:], 16)
            return f"{_in_words(piece)} piece{', not left' if opp >> _USED + piece & 1 else ''}"
        found = self.pieces(own, opp)[_CELL_NAMES.index(region)]
        return "empty" if found is None else f"{_in_words(found)} piece"

    @override
    def click_effect(self, to_move: int, clicked: tuple[str, ...], region: str) -> str:
        return "give this piece" if region.startswith("give") else "place the piece"

    @override
    def why_illegal(self, own: int, opp: int, to_move: int, clicked: tuple[str, ...], region: str) -> str:
        placing = self.in_hand(opp) is not None
        if region.startswith("give"):
            return "Place the piece first." if placing else "That piece was given before. Choose a piece that is left."
        return "That cell is taken. Choose an empty cell." if placing else "Choose a piece to give first."

    @override
    def prompt(self, own: int, opp: int, clicked: tuple[str, ...]) -> str:
        return "choose a piece to give" if self.in_hand(opp) is None else "place the piece"

    def winning_lines(self, own: int, opp: int) -> tuple[tuple[str, ...], ...]:
        """Return the lines and, if they count, the squares of four pieces with a common attribute."""
        return tuple(tuple(cell_name(cell, 4) for cell in _around(four)) for four in self._quartos(own, opp))

    @property
    @override
    def feature_names(self) -> tuple[str, ...]:
        """The names of nine features for placing and of the same nine for giving. Features of the other phase are 0."""
        return tuple(f"{phase}: {name}" for phase in ("placing", "giving") for name in _FEATURES)

    @override
    def position_bound(self, own: int, opp: int) -> int:
        empty = _CELLS - (opp & int(_LANE)).bit_count()
        return sum(comb(empty, k) * perm(empty, k) * (1 + empty - k) for k in range(empty + 1))

    @override
    def training_presets(self) -> Mapping[str, Mapping[str, Any]]:
        return {} if self.squares else {"alphazero": {"ladder": ("random", "minimax:depth=2", "minimax:depth=3")}}

    def _quartos(self, own: int, opp: int) -> list[int]:
        lanes = [own >> 16 * attribute for attribute in range(4)]
        whole = [four for four in self.fours() if four & opp == four]
        return [four for four in whole if any(four & lane in (0, four) for lane in lanes)]

    def _rows(self, own: int, opp: int) -> list[str]:
        cells = [_digit(piece, ".") for piece in self.pieces(own, opp)]
        return ["".join(cells[row : row + 4]) for row in range(0, _CELLS, 4)]


def _in_words(piece: int) -> str:
    """Return the properties of a piece, for example ``tall dark round solid``."""
    return " ".join(words[piece >> attribute & 1] for attribute, words in enumerate(_PROPERTIES))


def _digit(piece: int | None, none: str) -> str:
    return none if piece is None else f"{piece:x}"


def _around(four: int) -> list[int]:
    """Return the cells of a line from end to end, or the cells of a square clockwise."""
    first, second, third, last = bits(four)
    return [first, second, last, third] if four in _SQUARES else [first, second, third, last]


@lru_cache
def board_maps(squares: bool) -> NDArray[np.uint8]:
    """Return the permutations of the cells that map lines to lines. ``maps[s, cell]`` is the image of ``cell``.

    The identity is first. With squares they are the 8 symmetries of the square. With lines only there are 32: rows and
    columns can also be permuted together, in all ways that keep pairs of mirror images, because then both diagonals
    remain diagonals. Up to reversal there are 4 such orders.
    """
    dihedral = cell_maps(4, 4).astype(np.int64)
    orders = [(0, 1, 2, 3)] if squares else [(0, 1, 2, 3), (1, 0, 3, 2), (0, 2, 1, 3), (1, 3, 0, 2)]
    inner = np.array([[4 * order[cell // 4] + order[cell % 4] for cell in range(_CELLS)] for order in orders])
    return np.concatenate([dihedral[:, cells] for cells in inner]).astype(np.uint8)


@lru_cache
def piece_maps() -> NDArray[np.uint8]:
    """Return the 4! 2^4 symmetries of the attributes, the identity first. ``maps[s, piece]`` is an image."""
    pieces = np.arange(_PIECES)
    maps = []
    for order in permutations(range(4)):
        permuted = sum((pieces >> attribute & 1) << place for attribute, place in enumerate(order))
        maps += [permuted ^ flipped for flipped in range(_PIECES)]
    return np.array(maps, dtype=np.uint8)


@implements(legal, Quarto)
def _(game: Quarto) -> Any:
    one, cells = np.uint64(1), np.uint64(_CELLS)

    def kernel(game, own, opp, action):
        placing = (opp >> np.uint64(_HOLDING)) & one
        # the bits of given pieces follow the bits of occupied cells, as the actions that give follow those that place
        free = (opp >> np.uint64(action)) & one == np.uint64(0)
        return free and (np.uint64(action) < cells) == (placing == one)

    return kernel


@implements(play, Quarto)
def _(game: Quarto) -> Any:
    one, board = np.uint64(1), np.uint64((1 << _HAND) - 1)
    spread = _SPREAD

    def kernel(game, own, opp, action):
        action = np.uint64(action)
        if action < np.uint64(_CELLS):
            piece = (opp >> np.uint64(_HAND)) & np.uint64(15)
            return own | (spread[piece] << action), (opp & board) | (one << action)
        piece = action - np.uint64(_CELLS)
        return own, opp | (one << action) | (piece << np.uint64(_HAND)) | (one << np.uint64(_HOLDING))

    return kernel


@implements(keeps_turn, Quarto)
def _(game: Quarto) -> Any:
    return lambda game, own, opp, action: np.uint64(action) < np.uint64(_CELLS)


@implements(result, Quarto)
def _(game: Quarto) -> Any:
    steps, starts = line_steps(4, 4, 4)
    starts = starts * _LANES
    squares = np.uint64(0x0777 if game.squares else 0) * _LANES

    def kernel(game, own, opp):
        if opp >> np.uint64(_HOLDING):  # a quarto ends the game as soon as it is placed
            return ONGOING
        occupied = opp & _LANE
        for alike in (own, (occupied * _LANES) & ~own):  # the cells that have an attribute, and those that lack it
            for direction in range(4):
                line = starts[direction]
                for k in range(4):
                    line &= alike >> (np.uint64(k) * steps[direction])
                if line:
                    return WIN
            if squares & alike & (alike >> np.uint64(1)) & (alike >> np.uint64(4)) & (alike >> np.uint64(5)):
                return WIN
        return DRAW if occupied == _LANE else ONGOING

    return kernel


@operation
def completing_cells(game: Any, own: Any, opp: Any) -> Any:
    """Return the empty cells where a piece completes a line by one attribute.

    Returns:
        Two words of four lanes of 16 bits. Lane ``i`` of the first word contains the cells where a piece with attribute
        ``i`` completes a line. Lane ``i`` of the second word contains the cells where a piece without it does.
    """


@implements(completing_cells, Quarto)
def _(game: Quarto) -> Any:
    steps, starts = line_steps(4, 4, 4)
    offsets = np.arange(4, dtype=np.uint64) * steps[:, np.newaxis]
    if game.squares:
        offsets = np.concatenate([offsets, np.array([[0, 1, 4, 5]], dtype=np.uint64)])
        starts = np.append(starts, np.uint64(0x0777))
    starts = starts * _LANES
    count = len(starts)

    def kernel(game, own, opp):
        empty = (~opp & _LANE) * _LANES
        having = lacking = np.uint64(0)
        for i in range(count):
            a, b, c, d = offsets[i, 0], offsets[i, 1], offsets[i, 2], offsets[i, 3]
            having |= _fourth_cells(own, starts[i], a, b, c, d)
            lacking |= _fourth_cells(~(own | empty), starts[i], a, b, c, d)
        return having & empty, lacking & empty

    return kernel


@kernel
def _fourth_cells(alike: Any, starts: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return the missing cells of fours with three ``alike`` cells. Their cells are at ``a`` to ``d`` from a start."""
    at_a, at_b, at_c, at_d = (alike >> a) & starts, (alike >> b) & starts, (alike >> c) & starts, (alike >> d) & starts
    ab, cd = at_a & at_b, at_c & at_d
    return ((at_b & cd) << a) | ((at_a & cd) << b) | ((ab & at_d) << c) | ((ab & at_c) << d)


@kernel
def winning_cells(having: Any, lacking: Any, piece: Any) -> Any:
    """Return the cells where a piece completes a line, from the result of :func:`completing_cells`, as uint64."""
    cells = np.uint64(0)
    for attribute in range(4):
        lanes = having if (piece >> np.uint64(attribute)) & np.uint64(1) else lacking
        cells |= lanes >> np.uint64(16 * attribute)
    return cells & _LANE


@kernel
def safe_pieces(having: Any, lacking: Any, left: Any) -> Any:
    """Return the pieces of the set ``left`` that complete no line, as uint64."""
    for attribute in range(4):
        if (having >> np.uint64(16 * attribute)) & _LANE:
            left &= ~_HAVING[attribute]
        if (lacking >> np.uint64(16 * attribute)) & _LANE:
            left &= _HAVING[attribute]
    return left


@implements(may_end, Quarto)
def _(game: Quarto) -> Any:
    def kernel(game, own, opp, outcome):
        if outcome != WIN or not opp >> np.uint64(_HOLDING):  # giving a piece does not end the game
            return False
        having, lacking = completing_cells(game, own, opp)
        return winning_cells(having, lacking, (opp >> np.uint64(_HAND)) & np.uint64(15)) != np.uint64(0)

    return kernel


@implements(observe, Quarto)
def _(game: Quarto) -> Any:
    one = np.uint64(1)

    def kernel(game, own, opp, planes):
        for cell in range(_CELLS):
            for attribute in range(4):
                planes[cell // 4, cell % 4, 1 + attribute] = (own >> np.uint64(16 * attribute + cell)) & one
            planes[cell // 4, cell % 4, 0] = (opp >> np.uint64(cell)) & one
            planes[cell // 4, cell % 4, 5] = (opp >> np.uint64(_HOLDING)) & one
            for attribute in range(4):
                planes[cell // 4, cell % 4, 6 + attribute] = (opp >> np.uint64(_HAND + attribute)) & one

    return kernel


@implements(decode, Quarto)
def _(game: Quarto) -> Any:
    one, pieces = np.uint64(1), np.uint64(_USED)

    def kernel(game, planes):
        own = opp = np.uint64(0)
        for cell in range(_CELLS):
            row, col = cell // 4, cell % 4
            if planes[row, col, 0]:
                piece = np.uint64(0)
                for attribute in range(4):
                    bit = np.uint64(planes[row, col, 1 + attribute])
                    piece |= bit << np.uint64(attribute)
                    own |= bit << np.uint64(16 * attribute + cell)
                opp |= (one << np.uint64(cell)) | (one << (pieces + piece))
        if planes[0, 0, 5]:
            hand = np.uint64(0)
            for attribute in range(4):
                hand |= np.uint64(planes[0, 0, 6 + attribute]) << np.uint64(attribute)
            opp |= (one << (pieces + hand)) | (hand << np.uint64(_HAND)) | (one << np.uint64(_HOLDING))
        return own, opp

    return kernel


@kernel
def _piece_at(own: Any, cell: Any) -> Any:
    """Return the number of the piece on an occupied cell as uint64."""
    piece = np.uint64(0)
    for attribute in range(4):
        piece |= ((own >> np.uint64(16 * attribute + cell)) & np.uint64(1)) << np.uint64(attribute)
    return piece


@implements(transform, Quarto)
def _(game: Quarto) -> Any:
    cells, pieces = board_maps(game.squares).astype(np.uint64), piece_maps().astype(np.uint64)
    count = len(pieces)
    spread = _SPREAD
    one, first = np.uint64(1), np.uint64(_USED)

    def kernel(game, symmetry, own, opp):
        new_own = new_opp = np.uint64(0)
        for cell in range(_CELLS):
            if (opp >> np.uint64(cell)) & one:
                image, place = pieces[symmetry % count, _piece_at(own, cell)], cells[symmetry // count, cell]
                new_own |= spread[image] << place
                new_opp |= (one << place) | (one << (first + image))
        if opp >> np.uint64(_HOLDING):
            image = pieces[symmetry % count, (opp >> np.uint64(_HAND)) & np.uint64(15)]
            new_opp |= (one << (first + image)) | (image << np.uint64(_HAND)) | (one << np.uint64(_HOLDING))
        return new_own, new_opp

    return kernel


@lru_cache
def _set_maps(squares: bool) -> NDArray[np.uint16]:
    """Return the board maps for sets: ``maps[s, 0, mask]`` for cells 0 to 7, ``maps[s, 1, mask]`` for cells 8 to 15."""
    places = 1 << board_maps(squares).astype(np.uint16).reshape(-1, 2, 8, 1)
    masks = np.arange(256) >> np.arange(8).reshape(8, 1) & 1
    return np.ascontiguousarray((masks * places).sum(axis=2), dtype=np.uint16)


@lru_cache
def _lowest_maps(squares: bool) -> NDArray[np.uint32]:
    """Return for each set of cells the board maps, as bits, that map it to the smallest of its images."""
    masks = np.arange(1 << _CELLS)
    maps = _set_maps(squares)
    images = maps[:, 0, masks & 0xFF] | maps[:, 1, masks >> 8]
    chosen = (images == images.min(axis=0)) << np.arange(len(maps)).reshape(-1, 1)
    lowest: NDArray[np.uint32] = chosen.sum(axis=0).astype(np.uint32)
    return lowest


@kernel
def _image_of(maps: Any, board: Any, cells: Any) -> Any:
    low = np.uint64(0xFF)
    return np.uint64(maps[board, 0, cells & low]) | np.uint64(maps[board, 1, (cells >> np.uint64(8)) & low])


@kernel
def _lane_of(maps: Any, board: Any, own: Any, hand: Any, filled: Any, attribute: Any) -> Any:
    """Return the image of a lane, with the piece in hand as bit 16, flipped if the first piece has the attribute."""
    lane = _image_of(maps, board, own >> np.uint64(16 * attribute))
    lane |= ((hand >> np.uint64(attribute)) & np.uint64(1)) << np.uint64(16)
    return lane ^ filled if lane & filled & (~filled + np.uint64(1)) else lane


@kernel
def _in_order(a: Any, b: Any, c: Any, d: Any) -> Any:
    a, b, c, d = min(a, b), max(a, b), min(c, d), max(c, d)
    a, b, c, d = min(a, c), min(b, d), max(a, c), max(b, d)
    return a, min(b, c), max(b, c), d


@kernel
def _side_by_side(a: Any, b: Any, c: Any, d: Any, width: Any) -> Any:
    return a | (b << width) | (c << np.uint64(2) * width) | (d << np.uint64(3) * width)


@implements(canonical, Quarto)
def _(game: Quarto) -> Any:
    # Compare the images of the board whose set of occupied cells is smallest. For each of them one image of the pieces
    # is enough: flipped so that the first piece is 0, with the attributes in the order that sorts their lanes. The
    # result does not depend on the image of the pieces at the start.
    maps, lowest = _set_maps(game.squares), _lowest_maps(game.squares)
    one, cells, digit = np.uint64(1), np.uint64(_CELLS), np.uint64(15)
    hand_at, holding_at = np.uint64(_HAND), np.uint64(_HOLDING)

    def kernel(game, own, opp):
        boards = np.uint64(lowest[opp & _LANE])
        occupied = _image_of(maps, trailing_zeros(boards), opp)
        hand, holding = (opp >> hand_at) & digit, opp >> holding_at
        filled = occupied | (holding << cells)
        least_own = least_hand = ~np.uint64(0)
        while boards:
            board = trailing_zeros(boards)
            boards &= boards - one
            a, b, c, d = _in_order(
                _lane_of(maps, board, own, hand, filled, 0),
                _lane_of(maps, board, own, hand, filled, 1),
                _lane_of(maps, board, own, hand, filled, 2),
                _lane_of(maps, board, own, hand, filled, 3),
            )
            new_own = _side_by_side(a & _LANE, b & _LANE, c & _LANE, d & _LANE, cells)
            new_hand = _side_by_side(a >> cells, b >> cells, c >> cells, d >> cells, one)
            if new_own < least_own or (new_own == least_own and new_hand < least_hand):
                least_own, least_hand = new_own, new_hand
        used = holding << least_hand
        for cell in range(_CELLS):
            if (occupied >> np.uint64(cell)) & one:
                used |= one << _piece_at(least_own, cell)
        return least_own, occupied | (used << np.uint64(_USED)) | (least_hand << hand_at) | (holding << holding_at)

    return kernel


@implements(transform_action, Quarto)
def _(game: Quarto) -> Any:
    cells, pieces = board_maps(game.squares).astype(np.int64), piece_maps().astype(np.int64)
    count = len(pieces)

    def kernel(game, symmetry, action):
        if action < _CELLS:
            return cells[symmetry // count, action]
        return _CELLS + pieces[symmetry % count, action - _CELLS]

    return kernel


@implements(write_features, Quarto)
def _(game: Quarto) -> Any:
    fours = np.array(game.fours(), dtype=np.uint64)
    four_count, half = len(fours), len(_FEATURES)
    one = np.uint64(1)

    def kernel(game, own, opp, features):
        for i in range(2 * half):
            features[i] = 0
        holding = (opp >> np.uint64(36)) & one
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
        left = (~opp >> np.uint64(16)) & _LANE
        pieces, safe = popcount(left), popcount(safe_pieces(having, lacking, left))
        features[first + 4], features[first + 5] = np.float64(safe) / 16, safe & one
        features[first + 6], features[first + 7] = np.float64(pieces) / 16, pieces & one
        if holding:
            in_hand = (opp >> np.uint64(32)) & np.uint64(15)
            features[first + 8] = winning_cells(having, lacking, in_hand) != np.uint64(0)
        else:
            features[first + 8] = safe == np.uint64(0)

    return kernel
