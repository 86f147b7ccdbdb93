"""Pictures of Quarto's board and pieces."""

from collections.abc import Sequence
from dataclasses import dataclass

from ci_envs.drawing.board import GAP, MARGIN, cell_regions, coordinates, disc, panel, placed, rounded_rect, tiled
from ci_envs.drawing.drawing import Drawing, Label, Region


@dataclass(frozen=True)
class _Wood:
    """The colours of a piece: the top, the light and the dark side, and the outline and hole."""

    top: str
    light: str
    shade: str
    edge: str


_MAPLE = _Wood(top="#f6dfb2", light="#e2bd80", shade="#cda262", edge="#86602f")
_WALNUT = _Wood(top="#84594a", light="#623f31", shade="#4b2e22", edge="#24130c")
_SLOT = disc("#f3eee4", 36)


_STOCK_COLUMNS = 6
"""Columns of the pieces to give. On a phone, each piece is then large enough for a finger."""


def quarto_drawing(board: Sequence[int | None], hand: int | None, left: Sequence[int]) -> Drawing:
    """Return a picture of Quarto's board, and below it the pieces to give with their numbers and the piece to place.

    The regions are the cells (``b3``) and the places of the pieces to give (``give5``).

    Args:
        board: the piece on each of the 16 cells or None, row by row. Bits 0 to 3 of a piece are tall, dark, square,
            hollow.
        hand: the piece to place, or None.
        left: the pieces that were not given yet.
    """
    cell = 92
    side = 4 * cell
    slot = side / _STOCK_COLUMNS
    stock_y = MARGIN + side + GAP
    places = [(MARGIN + k % _STOCK_COLUMNS * slot, stock_y + k // _STOCK_COLUMNS * slot) for k in range(18)]
    stock, (label_x, hand_y), (hand_x, _) = places[:16], places[16], places[17]
    well = disc("#e6dac4", 42)
    pieces = [_SLOT + _piece(piece if piece in left else None) for piece in range(16)]
    shapes = [
        panel("#c9b593", MARGIN, MARGIN, side, side),
        *tiled([well + _piece(piece) for piece in board], MARGIN, MARGIN, cell),
        panel("#ffffff", MARGIN, stock_y, side, 3 * slot),
        *(placed(piece, x, y, slot) for piece, (x, y) in zip(pieces, stock, strict=True)),
        rounded_rect("#e6dac4", label_x, hand_y, 2 * slot, slot, radius=8),
        placed(_SLOT + _piece(hand), hand_x, hand_y, slot),
    ]
    return Drawing(
        width=side + 2 * MARGIN,
        height=round(stock_y + 3 * slot + MARGIN),
        shapes="".join(shapes),
        labels=(
            *coordinates(4, 4, cell),
            Label("in hand", label_x + slot / 2, hand_y + slot / 2, size=13),
            *(Label(f"{piece:x}", x + 10, y + 11, size=12) for piece, (x, y) in enumerate(stock)),
        ),
        regions=(
            *cell_regions(4, 4, cell),
            *(Region(f"give{piece:x}", x, y, slot, slot) for piece, (x, y) in enumerate(stock)),
        ),
    )


def _piece(number: int | None) -> str:
    """Return a Quarto piece seen from above, in a square of 100 x 100 units."""
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
