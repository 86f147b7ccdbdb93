"""Pictures as values, for notebooks, video frames and windows.

A picture is SVG. Its shapes use only features that nanosvg, the rasteriser of pygame, can render: they contain no text
and no references by id. Texts are stored separately as labels, which :mod:`ci_envs.drawing.raster` draws with its own
font.
"""

import html
from dataclasses import dataclass

BACKGROUND = "#faf8f4"
"""The background colour of all pictures."""

_LABEL_COLOR = "#77726a"  # readable on a light and on a dark background


@dataclass(frozen=True)
class Label:
    """A short text centred at ``(x, y)``. ``size`` is the font size in pixels."""

    text: str
    x: float
    y: float
    size: float = 14
    color: str = _LABEL_COLOR


@dataclass(frozen=True)
class Region:
    """A named rectangle of a picture, with its top left at ``(x, y)``, in SVG's user units."""

    name: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Drawing:
    """An immutable picture of ``width`` x ``height`` pixels, which are SVG's user units.

    Attributes:
        width: width in pixels. Width and height are even, because video codecs require it.
        height: height in pixels.
        shapes: an SVG fragment of ``g``, ``rect``, ``circle``, ``ellipse``, ``line``, ``polygon`` and ``path``.
        labels: the texts, on top of the shapes.
        regions: the parts that can be clicked and marked. They can overlap, for example a column and its cells.
    """

    width: int
    height: int
    shapes: str
    labels: tuple[Label, ...] = ()
    regions: tuple[Region, ...] = ()

    def svg(self, background: str | None = BACKGROUND) -> str:
        """Return the picture as an SVG document, with a background colour, or with None on a transparent background."""
        texts = "".join(
            f'<text x="{label.x:g}" y="{label.y:g}" font-size="{label.size:g}" fill="{label.color}"'
            ' font-family="sans-serif" font-weight="bold" text-anchor="middle" dominant-baseline="central">'
            f"{html.escape(label.text)}</text>"
            for label in self.labels
        )
        ground = "" if background is None else f'<rect width="100%" height="100%" fill="{background}"/>'
        return self._document(ground + self.shapes + texts)

    def shapes_svg(self) -> str:
        """Return only the shapes, on a transparent background, as an SVG document."""
        return self._document(self.shapes)

    def _document(self, content: str) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}"'
            f' viewBox="0 0 {self.width} {self.height}">{content}</svg>'
        )
