"""How positions look: a picture as a value, for notebooks, video frames and windows alike.

A picture is SVG. Its shapes keep to what the rasteriser behind pygame (nanosvg) renders, so they hold no text and
refer to nothing by id; text is kept beside them as labels, which :mod:`ci_envs.envs.render` sets in a font of its own.
"""

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

BACKGROUND = "#faf8f4"
"""The colour behind every picture."""

_LABEL_COLOR = "#77726a"  # read on a light ground and on a dark one
_COLUMNS = "abcdefgh"
_X_COLOR, _O_COLOR = "#1d5480", "#bd4a2c"  # blue and vermilion: told apart by colour-blind eyes too
_MARGIN = 32
_FRAME = 6  # how far a panel reaches beyond what lies on it
_STRIP = (_MARGIN - _FRAME) / 2  # middle of what is left of the margin, where labels stand
_BOARD = 480  # the longer side of a board at most
_GAP = 24  # between what lies on neighbouring panels


@dataclass(frozen=True)
class Label:
    """A short text centred at ``(x, y)``; ``size`` is that of the font in pixels."""

    text: str
    x: float
    y: float
    size: float = 14
    color: str = _LABEL_COLOR


@dataclass(frozen=True)
class Region:
    """A rectangle of a picture that has a name, its top left at ``(x, y)``, in SVG's user units."""

    name: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Drawing:
    """An immutable picture of ``width`` x ``height`` pixels, which are SVG's user units.

    Attributes:
        width: width in pixels; even, as is the height, because video codecs want that.
        height: height in pixels.
        shapes: an SVG fragment of ``g``, ``rect``, ``circle``, ``ellipse``, ``line``, ``polygon`` and ``path``.
        labels: the texts, on top of the shapes.
        regions: what can be clicked and pointed at; they may overlap, as a column does with its cells.
    """

    width: int
    height: int
    shapes: str
    labels: tuple[Label, ...] = ()
    regions: tuple[Region, ...] = ()

    def svg(self, background: str | None = BACKGROUND) -> str:
        """The whole picture as an SVG document, on a ground of that colour or, with None, a transparent one."""
        texts = "".join(
            f'<text x="{label.x:g}" y="{label.y:g}" font-size="{label.size:g}" fill="{label.color}"'
            ' font-family="sans-serif" font-weight="bold" text-anchor="middle" dominant-baseline="central">'
            f"{html.escape(label.text)}</text>"
            for label in self.labels
        )
        ground = "" if background is None else f'<rect width="100%" height="100%" fill="{background}"/>'
        return self._document(ground + self.shapes + texts)

    def shapes_svg(self) -> str:
        """The shapes alone, on a transparent ground, as an SVG document."""
        return self._document(self.shapes)

    def _document(self, content: str) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}"'
            f' viewBox="0 0 {self.width} {self.height}">{content}</svg>'
        )


@dataclass(frozen=True)
class GridStyle:
    """The looks of a board and its cells.

    Attributes:
        board: colour of the board.
        cells: shapes of a cell by its symbol, in a square of 100 x 100 units.
    """

    board: str
    cells: Mapping[str, str]


def _x(color: str, reach: int, width: int) -> str:
    low, high = 50 - reach, 50 + reach
    return (
        f'<path class="X" d="M{low} {low}L{high} {high}M{high} {low}L{low} {high}" fill="none"'
        f' stroke="{color}" stroke-width="{width}" stroke-linecap="round"/>'
    )


def _o(color: str, radius: int, width: int) -> str:
    return f'<circle class="O" cx="50" cy="50" r="{radius}" fill="none" stroke="{color}" stroke-width="{width}"/>'


def _square(color: str, x: float, y: float, width: float, height: float, *, radius: float) -> str:
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" fill="{color}"/>'


def _disc(color: str, radius: float) -> str:
    return f'<circle cx="50" cy="50" r="{radius:g}" fill="{color}"/>'


_SQUARE = _square("#ffffff", 3, 3, 94, 94, radius=10)
_CUBE = (
    '<rect x="3" y="60" width="94" height="37" rx="14" fill="#b98a55"/>'
    '<rect x="6" y="6" width="88" height="82" rx="11" fill="#f3dfba" stroke="#e8cd9d" stroke-width="6"/>'
)

PAPER = GridStyle(
    board="#d9d3c7",
    cells={".": _SQUARE, "X": _SQUARE + _x(_X_COLOR, 22, 11), "O": _SQUARE + _o(_O_COLOR, 26, 11)},
)
"""Marks on white squares: tic-tac-toe and its kin."""

CUBES = GridStyle(
    board="#7d5a3c",
    cells={".": _CUBE, "X": _CUBE + _x(_X_COLOR, 20, 12), "O": _CUBE + _o(_O_COLOR, 23, 12)},
)
"""Wooden cubes with marks on top: Quixo."""

DISCS = GridStyle(
    board="#2f6690",
    cells={
        ".": _disc("#24506f", 41) + _disc(BACKGROUND, 38),
        "X": _disc("#24506f", 41) + _disc("#c8452f", 38) + _x("#7d1f12", 14, 8),
        "O": _disc("#24506f", 41) + _disc("#f2c14e", 38) + _o("#96660a", 16, 8),
    },
)
"""Discs in an upright board: Connect Four."""


def grid_drawing(rows: Sequence[str], style: GridStyle) -> Drawing:
    """A board of two colours, with a region for each cell (``b3``) and each column (``b``).

    Args:
        rows: the symbols of the cells, ``.``, ``X`` or ``O``, one string a row from the top.
        style: what board and cells look like.
    """
    cols = len(rows[0])
    cell = min(144, _BOARD // max(len(rows), cols))
    board = _panel(style.board, _MARGIN, _MARGIN, cols * cell, len(rows) * cell)
    cells = _tiled([style.cells[symbol] for row in rows for symbol in row], _MARGIN, _MARGIN, cell, cols)
    return Drawing(
        width=cols * cell + 2 * _MARGIN,
        height=len(rows) * cell + 2 * _MARGIN,
        shapes=board + "".join(cells),
        labels=_coordinates(len(rows), cols, cell),
        regions=(*_cell_regions(len(rows), cols, cell), *_column_regions(len(rows), cols, cell)),
    )


def _panel(color: str, x: float, y: float, width: float, height: float) -> str:
    return _square(color, x - _FRAME, y - _FRAME, width + 2 * _FRAME, height + 2 * _FRAME, radius=12)


def _placed(shapes: str, x: float, y: float, side: float) -> str:
    """Shapes drawn in a square of 100 x 100 units, in one of ``side`` with its top left at ``(x, y)``."""
    return f'<g transform="translate({x:g} {y:g}) scale({side / 100:g})">{shapes}</g>'


def _tiled(cells: Sequence[str], x: float, y: float, side: float, cols: int = 4) -> list[str]:
    """Cells placed row by row, ``cols`` to a row, from the top left at ``(x, y)``."""
    return [_placed(cell, x + k % cols * side, y + k // cols * side, side) for k, cell in enumerate(cells)]


def _coordinates(rows: int, cols: int, cell: int) -> tuple[Label, ...]:
    """Letters over the columns and numbers left of the rows."""
    letters = [Label(_COLUMNS[col], _MARGIN + (col + 0.5) * cell, _STRIP) for col in range(cols)]
    numbers = [Label(str(row + 1), _STRIP, _MARGIN + (row + 0.5) * cell) for row in range(rows)]
    return (*letters, *numbers)


def _cell_regions(rows: int, cols: int, cell: int) -> list[Region]:
    return [
        Region(f"{_COLUMNS[col]}{row + 1}", _MARGIN + col * cell, _MARGIN + row * cell, cell, cell)
        for row in range(rows)
        for col in range(cols)
    ]


def _column_regions(rows: int, cols: int, cell: int) -> list[Region]:
    return [Region(_COLUMNS[col], _MARGIN + col * cell, _MARGIN, cell, rows * cell) for col in range(cols)]


def heaps_drawing(sizes: Sequence[int], start: Sequence[int]) -> Drawing:
    """Heaps as rows of matches, with the heap's number before and its size behind; a long row wraps.

    The regions are the matches: ``2-3`` is the third from the end of those left in the second heap, ``2+1`` the first
    shadow behind them.

    Args:
        sizes: the matches left in each heap.
        start: the matches in each heap when the game began; those taken since leave a shadow.
    """
    largest = max(start)
    columns = min(largest, max(32, math.ceil(math.sqrt(3 * len(start) * largest))))
    lines = math.ceil(largest / columns)
    pitch = min(26, _BOARD / columns, _BOARD / (3 * len(start) * lines))
    width, height = 2 * math.ceil((max(columns, 12) + 1) * pitch / 2), 2 * math.ceil(lines * 1.5 * pitch)
    shapes, labels, regions = [], [], []
    for heap, (size, whole) in enumerate(zip(sizes, start, strict=True)):
        top = _MARGIN + heap * (height + _GAP)
        middle = top + height / 2
        places = _places(max(whole, size), columns, pitch, (_MARGIN + width / 2, middle))
        shapes.append(_panel("#ffffff", _MARGIN, top, width, height))
        shapes.append(_matches(places[:size], pitch, "#b3763b", "#b23a2a"))
        shapes.append(_matches(places[size:], pitch, "#eeeae2", "#eeeae2"))
        names = [f"{heap + 1}-{size - k}" if k < size else f"{heap + 1}+{k - size + 1}" for k in range(len(places))]
        regions += [
            Region(name, x - pitch / 2, y, pitch, 3 * pitch) for name, (x, y) in zip(names, places, strict=True)
        ]
        labels += [Label(str(heap + 1), _STRIP, middle), Label(str(size), width + 2 * _MARGIN - _STRIP, middle)]
    return Drawing(
        width=width + 2 * _MARGIN,
        height=len(start) * (height + _GAP) - _GAP + 2 * _MARGIN,
        shapes="".join(shapes),
        labels=tuple(labels),
        regions=tuple(regions),
    )


def _places(count: int, columns: int, pitch: float, middle: tuple[float, float]) -> list[tuple[float, float]]:
    """The places of ``count`` matches, row by row around ``middle``: the middle of each one's upper edge."""
    left = middle[0] - (min(columns, count) - 1) / 2 * pitch
    top = middle[1] - math.ceil(count / columns) * 1.5 * pitch
    return [(left + place % columns * pitch, top + place // columns * 3 * pitch) for place in range(count)]


def _matches(places: Sequence[tuple[float, float]], pitch: float, stick: str, head: str) -> str:
    """Upright matches in cells of ``pitch`` x ``3 * pitch`` given by the middle of their upper edge."""
    if not places:
        return ""
    lines = [
        (stick, 0.26, "".join(f"M{x:.2f} {y + 0.75 * pitch:.2f}v{1.75 * pitch:.2f}" for x, y in places)),
        (head, 0.46, "".join(f"M{x:.2f} {y + 0.55 * pitch:.2f}v{0.3 * pitch:.2f}" for x, y in places)),
    ]
    return "".join(
        f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{width * pitch:.2f}" stroke-linecap="round"/>'
        for color, width, path in lines
    )


@dataclass(frozen=True)
class _Wood:
    """The shades of a piece: its top, the sides in light and in shade, and its outline and hole."""

    top: str
    light: str
    shade: str
    edge: str


_MAPLE = _Wood(top="#f6dfb2", light="#e2bd80", shade="#cda262", edge="#86602f")
_WALNUT = _Wood(top="#84594a", light="#623f31", shade="#4b2e22", edge="#24130c")
_SLOT = _disc("#f3eee4", 36)


def quarto_drawing(board: Sequence[int | None], hand: int | None, left: Sequence[int]) -> Drawing:
    """Quarto's board, and beside it the piece to be placed and those left to be given, with their numbers.

    The regions are the cells (``b3``) and the places of the pieces to be given (``give5``).

    Args:
        board: the piece on each of the 16 cells or None, row by row. Bits 0 to 3 of a piece are tall, dark, square,
            hollow.
        hand: the piece to be placed, or None.
        left: the pieces that nobody has been given.
    """
    cell, slot = 92, 62
    side, aside = 4 * cell, _MARGIN + 4 * cell + _GAP
    stock_y = _MARGIN + side - 4 * slot
    hand_side = stock_y - _GAP - _MARGIN
    hand_x = aside + (4 * slot - hand_side) / 2
    well = _disc("#e6dac4", 42)
    shapes = [
        _panel("#c9b593", _MARGIN, _MARGIN, side, side),
        *_tiled([well + _piece(piece) for piece in board], _MARGIN, _MARGIN, cell),
        _panel("#ffffff", aside, _MARGIN, 4 * slot, hand_side),
        _placed(_SLOT + _piece(hand), hand_x, _MARGIN, hand_side),
        _panel("#ffffff", aside, stock_y, 4 * slot, 4 * slot),
        *_tiled([_SLOT + _piece(piece if piece in left else None) for piece in range(16)], aside, stock_y, slot),
    ]
    numbers = [
        Label(f"{piece:x}", aside + piece % 4 * slot + 10, stock_y + piece // 4 * slot + 11, size=12)
        for piece in range(16)
    ]
    return Drawing(
        width=aside + 4 * slot + _MARGIN,
        height=side + 2 * _MARGIN,
        shapes="".join(shapes),
        labels=(
            *_coordinates(4, 4, cell),
            Label("in hand", (aside + hand_x) / 2, _MARGIN + hand_side / 2),
            *numbers,
        ),
        regions=(
            *_cell_regions(4, 4, cell),
            *(
                Region(f"give{piece:x}", aside + piece % 4 * slot, stock_y + piece // 4 * slot, slot, slot)
                for piece in range(16)
            ),
        ),
    )


def _piece(number: int | None) -> str:
    """A Quarto piece seen from above, in a square of 100 x 100 units."""
    if number is None:
        return ""
    tall, dark, square, hollow = (number >> attribute & 1 for attribute in range(4))
    wood = _WALNUT if dark else _MAPLE
    top, foot = (26 if tall else 48), 66
    if square:
        outline = f"M22 {top}L50 {top - 14}L78 {top}V{foot}L50 {foot + 14}L22 {foot}Z"
        sides = (
            f'<path d="M22 {top}L50 {top + 14}V{foot + 14}L22 {foot}Z" fill="{wood.light}"/>'
            f'<path d="M78 {top}L50 {top + 14}V{foot + 14}L78 {foot}Z" fill="{wood.shade}"/>'
        )
        face = f"M22 {top}L50 {top - 14}L78 {top}L50 {top + 14}Z"
        hole = f"M35 {top}L50 {top - 7.5}L65 {top}L50 {top + 7.5}Z"
    else:
        outline = f"M26 {top}A24 12 0 0 1 74 {top}V{foot}A24 12 0 0 1 26 {foot}Z"
        sides = f'<path d="{outline}" fill="{wood.light}"/>'
        face = f"M26 {top}A24 12 0 0 1 74 {top}A24 12 0 0 1 26 {top}Z"
        hole = f"M37 {top}A13 6.5 0 0 1 63 {top}A13 6.5 0 0 1 37 {top}Z"
    shapes = (
        f'{sides}<path d="{face}" fill="{wood.top}"/>'
        f'<path d="{outline}" fill="none" stroke="{wood.edge}" stroke-width="2.5" stroke-linejoin="round"/>'
    )
    return shapes + (f'<path d="{hole}" fill="{wood.edge}"/>' if hollow else "")
