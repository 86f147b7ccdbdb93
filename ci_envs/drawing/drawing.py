"""Pictures as values, for notebooks, video frames and windows.

A picture is SVG. Its shapes keep to what the rasteriser behind pygame (nanosvg) renders, so they hold no text and
refer to nothing by id; text is kept beside them as labels, which :mod:`ci_envs.drawing.raster` draws in a font of its
own.
"""

import html
from dataclasses import dataclass

BACKGROUND = "#faf8f4"
"""The colour behind every picture."""

_LABEL_COLOR = "#77726a"  # read on a light ground and on a dark one


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
