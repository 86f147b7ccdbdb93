"""Pictures of Quarto's board and pieces."""

from collections.abc import Sequence
from dataclasses import dataclass

from ci_envs.drawing.board import GAP, MARGIN, cell_regions, coordinates, disc, panel, placed, tiled
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


def quarto_drawing(board: Sequence[int | None], hand: int | None, left: Sequence[int]) -> Drawing:
    """Return a picture of Quarto's board, and beside it the piece to place and the pieces to give, with their numbers.

    The regions are the cells (``b3``) and the places of the pieces to give (``give5``).

    Args:
        board: the piece on each of the 16 cells or None, row by row. Bits 0 to 3 of a piece are tall, dark, square,
            hollow.
        hand: the piece to place, or None.
        left: the pieces that were not given yet.
    """
    cell, slot = 92, 62
    side, aside = 4 * cell, MARGIN + 4 * cell + GAP
    stock_y = MARGIN + side - 4 * slot
    hand_side = stock_y - GAP - MARGIN
    hand_x = aside + (4 * slot - hand_side) / 2
    well = disc("#e6dac4", 42)
    shapes = [
        panel("#c9b593", MARGIN, MARGIN, side, side),
        *tiled([well + _piece(piece) for piece in board], MARGIN, MARGIN, cell),
        panel("#ffffff", aside, MARGIN, 4 * slot, hand_side),
        placed(_SLOT + _piece(hand), hand_x, MARGIN, hand_side),
        panel("#ffffff", aside, stock_y, 4 * slot, 4 * slot),
        *tiled([_SLOT + _piece(piece if piece in left else None) for piece in range(16)], aside, stock_y, slot),
    ]
    numbers = [
        Label(f"{piece:x}", aside + piece % 4 * slot + 10, stock_y + piece // 4 * slot + 11, size=12)
        for piece in range(16)
    ]
    return Drawing(
        width=aside + 4 * slot + MARGIN,
        height=side + 2 * MARGIN,
        shapes="".join(shapes),
        labels=(
            *coordinates(4, 4, cell),
            Label("in hand", (aside + hand_x) / 2, MARGIN + hand_side / 2),
            *numbers,
        ),
        regions=(
            *cell_regions(4, 4, cell),
            *(
                Region(f"give{piece:x}", aside + piece % 4 * slot, stock_y + piece // 4 * slot, slot, slot)
                for piece in range(16)
            ),
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
