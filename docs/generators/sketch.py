"""Small diagrams as SVG in one style: boxes, circles, arrows, trees, bars and tables on a white panel."""

from collections.abc import Sequence
from html import escape
from itertools import pairwise

INK, PALE, STRONG, SECOND = "#333333", "#e6ecf2", "#0072b2", "#d55e00"
"""Colours of lines and texts, of surfaces, and of two kinds of marked parts (Okabe and Ito)."""

_ARROW, _DASHES = ' marker-end="url(#arrow)"', ' stroke-dasharray="4 3"'


class Sketch:
    """A diagram. Coordinates are pixels from the top left corner.

    Args:
        width: The width.
        height: The height.
    """

    def __init__(self, width: int = 560, height: int = 190) -> None:
        self.width, self.height = width, height
        self.parts: list[str] = []

    def svg(self) -> str:
        """Return the diagram as an SVG file."""
        arrow = (
            '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
            f' orient="auto-start-reverse"><path d="M0 0l8 4-8 4z" fill="{INK}"/></marker></defs>'
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}"'
            f' height="{self.height}" font-family="Helvetica, Arial, sans-serif" font-size="13" fill="{INK}">{arrow}'
            f'<rect width="{self.width}" height="{self.height}" rx="8" fill="#fff"/>{"".join(self.parts)}</svg>\n'
        )

    def text(
        self, x: float, y: float, text: str, *, anchor: str = "middle", fill: str = INK, bold: bool = False
    ) -> None:
        """Write a text; ``y`` is the middle of its line."""
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y + 4.5:g}" text-anchor="{anchor}" fill="{fill}"{weight}>{escape(text)}</text>'
        )

    def line(
        self, start: tuple[float, float], end: tuple[float, float], *, arrow: bool = False, dashed: bool = False,
        colour: str = INK, width: float = 1.2
    ) -> None:  # fmt: skip
        """Draw a straight line."""
        marks = f"{_ARROW if arrow else ''}{_DASHES if dashed else ''}"
        self.parts.append(
            f'<path d="M{start[0]:g} {start[1]:g}L{end[0]:g} {end[1]:g}" stroke="{colour}" stroke-width="{width:g}"'
            f' fill="none"{marks}/>'
        )

    def box(self, x: float, y: float, width: float, height: float, text: str = "", fill: str = PALE) -> None:
        """Draw a rectangle with a text of one or several lines in its middle."""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" fill="{fill}" stroke="{INK}"/>'
        )
        lines = text.split("\n")
        colour = "#fff" if fill in (STRONG, SECOND) else INK
        for number, each in enumerate(lines):
            self.text(x + width / 2, y + height / 2 + 16 * (number - (len(lines) - 1) / 2), each, fill=colour)

    def circle(self, x: float, y: float, radius: float = 14, text: str = "", fill: str = PALE) -> None:
        """Draw a circle with a text in its middle."""
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{INK}"/>')
        if text:
            self.text(x, y, text, fill="#fff" if fill in (STRONG, SECOND) else INK)

    def bars(
        self, x: float, y: float, shares: Sequence[float], names: Sequence[str], strong: int | None = None
    ) -> None:
        """Draw a bar for each share, upwards from ``y``; bars without a share are illegal actions."""
        for number, (share, name) in enumerate(zip(shares, names, strict=True)):
            self.box(x + 28 * number, y - 80 * share, 20, 80 * share, fill=STRONG if number == strong else PALE)
            self.text(x + 28 * number + 10, y + 12, name)

    def table(self, x: float, y: float, rows: Sequence[Sequence[str]], strong: Sequence[tuple[int, int]] = ()) -> None:
        """Draw a table of cells of 52 by 24 pixels."""
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                fill = STRONG if (row, column) in strong else PALE if row and column else "#fff"
                self.box(x + 52 * column, y + 24 * row, 52, 24, cell, fill)

    def tree(
        self, x: float, y: float, texts: Sequence[Sequence[str]], *, path: Sequence[int] = (), cut: int | None = None
    ) -> list[tuple[float, float]]:
        """Draw a tree of three levels: a root, its children, and an equal number of leaves below each child.

        Args:
            x: The middle of the tree.
            y: The middle of the root.
            texts: The texts of each level.
            path: The child, and the leaf below it, that are marked.
            cut: The number of a leaf whose branch is cut off.

        Returns:
            The places of the leaves.
        """
        (root,), children, leaves = texts
        each = len(leaves) // len(children)
        spread = 46.0
        leaf_places = [(x + spread * (number - (len(leaves) - 1) / 2), y + 130) for number in range(len(leaves))]
        child_places = [
            (sum(place[0] for place in leaf_places[number * each : (number + 1) * each]) / each, y + 65)
            for number in range(len(children))
        ]
        marked = [path[0]] if path else [], [path[0] * each + path[1]] if len(path) > 1 else []
        for number, place in enumerate(child_places):
            self._branch((x, y), place, marked=number in marked[0])
        for number, place in enumerate(leaf_places):
            self._branch(child_places[number // each], place, marked=number in marked[1], cut=number == cut)
        self.circle(x, y, text=root, fill=STRONG if path else PALE)
        for names, places, chosen in ((children, child_places, marked[0]), (leaves, leaf_places, marked[1])):
            for number, (name, place) in enumerate(zip(names, places, strict=True)):
                self.circle(*place, text=name, fill=STRONG if number in chosen else PALE)
        return leaf_places

    def _branch(
        self, start: tuple[float, float], end: tuple[float, float], *, marked: bool = False, cut: bool = False
    ) -> None:
        self.line(start, end, colour=STRONG if marked else INK, width=3 if marked else 1.2, dashed=cut)
        if cut:
            x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
            self.line((x - 8, y - 3), (x + 8, y + 3), colour=SECOND, width=3)

    def network(self, x: float, y: float, sizes: Sequence[int] = (3, 4, 3)) -> None:
        """Draw a network with layers of neurons, from left to right; ``y`` is its middle."""
        layers = [
            [(x + 45 * column, y + 26 * (row - (size - 1) / 2)) for row in range(size)]
            for column, size in enumerate(sizes)
        ]
        for left, right in pairwise(layers):
            for start in left:
                for end in right:
                    self.line(start, end, width=0.6)
        for layer in layers:
            for place in layer:
                self.circle(*place, 7)

    def heaps(self, x: float, y: float, counts: Sequence[int], taken: tuple[int, int] | None = None) -> None:
        """Draw heaps as rows of dots; ``taken`` is a heap and the number of dots that a move takes from it."""
        for row, count in enumerate(counts):
            gone = taken[1] if taken and taken[0] == row else 0
            for column in range(count):
                self.circle(x + 20 * column, y + 28 * row, 7, fill=SECOND if column >= count - gone else PALE)
