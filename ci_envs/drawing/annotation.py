"""Marks on a picture: the last action, the legal clicks, and the analysis of an agent or a solver.

Marks are drawn on top of any game's picture. They use only the regions of the picture, and only the shapes that
:mod:`ci_envs.drawing.drawing` allows.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ci_envs.drawing.drawing import Drawing, Label, Region

_HEAT = "#109648"
_TAG_COLOR = "#0a5c2c"
_OPACITIES = (1.0, 0.6, 0.45)  # of the best actions
_LAST, _CLICKABLE, _SELECTED = "#4b4b4b", "#3f8fd2", "#0b4f94"
# colour-blind people can distinguish blue, grey and orange; the sign has the same meaning
_BADGES = {
    1: ("#0072b2", "M-4.5 0H4.5M0 -4.5V4.5"),
    0: ("#6e6e6e", "M-4.5 -2.5H4.5M-4.5 2.5H4.5"),
    -1: ("#d55e00", "M-4.5 0H4.5"),
}


@dataclass(frozen=True)
class Candidate:
    """The mark of a good action: an arrow from its first to its last region, or a frame around its only region.

    Attributes:
        regions: the regions to click for the action, in order.
        text: a short text on the mark, for example the winning chances, or empty.
    """

    regions: tuple[str, ...]
    text: str = ""


@dataclass(frozen=True)
class Marks:
    """The marks in a picture, by the names of its regions.

    Attributes:
        last: the regions that show the last action.
        clickable: the regions that can be clicked.
        selected: the regions that were clicked already, for an action that needs several clicks.
        best: the regions to click for the best action.
        heat: the attention of a search to each region, from 0 to 1.
        verdicts: the exact value of each region for the player who clicks it: 1 is a win, 0 a draw, -1 a loss.
        lines: lines, each as the names of the regions that it joins, in order.
        best_arrow: the first and the last region of an arrow for the best action, or an empty tuple.
        last_arrow: the same for the last action.
        candidates: the best actions, the best one first. A later one is paler.

    Raises:
        ValueError: a heat is not from 0 to 1, or a verdict is not 1, 0 or -1.
    """

    last: tuple[str, ...] = ()
    clickable: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    best: tuple[str, ...] = ()
    heat: Mapping[str, float] = field(default_factory=dict)
    verdicts: Mapping[str, int] = field(default_factory=dict)
    lines: tuple[tuple[str, ...], ...] = ()
    best_arrow: tuple[str, ...] = ()
    last_arrow: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()

    def __post_init__(self) -> None:
        for name, heat in self.heat.items():
            if not 0 <= heat <= 1:
                raise ValueError(f"the heat of {name!r} must be from 0 to 1, not {heat!r}")
        for name, verdict in self.verdicts.items():
            if verdict not in _BADGES:
                raise ValueError(f"the verdict on {name!r} must be 1, 0 or -1, not {verdict!r}")


def annotated(drawing: Drawing, marks: Marks) -> Drawing:
    """Return a picture with marks on top.

    Raises:
        ValueError: a mark names a region that the picture does not have.
    """
    regions = {region.name: region for region in drawing.regions}

    def named(names: Iterable[str]) -> list[Region]:
        try:
            return [regions[name] for name in names]
        except KeyError as error:
            raise ValueError(f"{error} is not a region of this picture, which has {', '.join(regions)}") from None

    shapes = [
        *(_filled(region, heat) for region, heat in zip(named(marks.heat), marks.heat.values(), strict=True)),
        *(_outlined(region, _CLICKABLE, 1.5) for region in named(marks.clickable)),
        *(_outlined(region, _LAST, 2.5) for region in named(marks.last)),
        *(_outlined(region, _HEAT, 5) for region in named(marks.best)),
        *(_outlined(region, _SELECTED, 5) for region in named(marks.selected)),
        *(_arrow(named(marks.last_arrow), _LAST) if marks.last_arrow else ()),
        *(_arrow(named(marks.best_arrow), _HEAT) if marks.best_arrow else ()),
        *(_badge(region, value) for region, value in zip(named(marks.verdicts), marks.verdicts.values(), strict=True)),
        *(_stroke(named(line)) for line in marks.lines),
    ]
    tags: list[_Tag] = []
    for number, candidate in reversed([*enumerate(marks.candidates)]):  # the best one is on top
        joined = named(candidate.regions)
        drawn = _arrow(joined, _HEAT) if len(joined) > 1 else [_outlined(joined[0], _HEAT, 5)]
        shapes.append(f'<g opacity="{_OPACITIES[min(number, len(_OPACITIES) - 1)]}">{"".join(drawn)}</g>')
        if candidate.text:
            tags.append(_Tag.on(joined, candidate.text))
    shapes += [tag.background for tag in tags]
    labels = (*drawing.labels, *(tag.label for tag in tags))
    return replace(drawing, shapes=drawing.shapes + "".join(shapes), labels=labels)


@dataclass(frozen=True)
class _Tag:
    """A text on a mark: its background and its label."""

    background: str
    label: Label

    @classmethod
    def on(cls, regions: list[Region], text: str) -> "_Tag":
        """Return the tag of an action with some regions: on its only region, or in the first half of its arrow."""
        (x, y), (to_x, to_y) = (_middle(regions[0]), _middle(regions[-1]))
        x, y = x + 0.36 * (to_x - x), y + 0.36 * (to_y - y)
        if len(regions) == 1:  # in a column, the mark is at the top
            y = regions[0].y + min(regions[0].width, regions[0].height) / 2
        widths = 0.62 * len(text) + 0.9  # the width of the tag, in font sizes
        size = max(13, min(18, 0.22 * min(regions[0].width, regions[0].height)))
        if len(regions) == 1:  # the tags of neighbouring regions do not overlap
            size = min(size, regions[0].width / widths)
        width, height = widths * size, 1.5 * size
        background = (
            f'<rect x="{x - width / 2:.2f}" y="{y - height / 2:.2f}" width="{width:.2f}" height="{height:.2f}"'
            f' rx="{height / 2:.2f}" fill="#ffffff" stroke="{_HEAT}" stroke-width="2"/>'
        )
        return cls(background, Label(text, x, y, size, _TAG_COLOR))


def _filled(region: Region, heat: float) -> str:
    # the square root makes a share of a few per cent visible
    return f'<rect {_inside(region, 1)} fill="{_HEAT}" fill-opacity="{0.55 * math.sqrt(heat):.3f}"/>'


def _outlined(region: Region, color: str, width: float) -> str:
    """Return a frame in ``color`` inside a white frame, which is visible on any background."""
    width = min(width, 0.12 * min(region.width, region.height))
    return "".join(
        f'<rect {_inside(region, 1.5 + width / 2)} fill="none" stroke="{stroke}" stroke-width="{stroke_width:g}"/>'
        for stroke, stroke_width in (("#ffffff", width + 2), (color, width))
    )


def _inside(region: Region, inset: float) -> str:
    """Return the attributes of a rectangle with round corners at the distance ``inset`` from a region's edges."""
    inset = min(inset, min(region.width, region.height) / 4)
    width, height = region.width - 2 * inset, region.height - 2 * inset
    radius = min(8, width / 4, height / 4)
    return (
        f'x="{region.x + inset:.2f}" y="{region.y + inset:.2f}" width="{width:.2f}" height="{height:.2f}"'
        f' rx="{radius:.2f}"'
    )


def _badge(region: Region, verdict: int) -> str:
    """Return a disc with a sign, for the upper right corner of a region."""
    color, sign = _BADGES[verdict]
    radius = min(11, region.width / 2.2, region.height / 2.2)
    x, y = region.x + region.width - 1.1 * radius, region.y + 1.1 * radius
    return (
        f'<g transform="translate({x:.2f} {y:.2f}) scale({radius / 9:.3f})">'
        f'<circle r="8" fill="{color}" stroke="#ffffff" stroke-width="1.5"/>'
        f'<path d="{sign}" fill="none" stroke="#ffffff" stroke-width="2.4" stroke-linecap="round"/></g>'
    )


def _arrow(ends: list[Region], color: str) -> list[str]:
    """Return an arrow from the middle of the first region to the middle of the last one, with a white outline."""
    (x, y), (to_x, to_y) = _middle(ends[0]), _middle(ends[-1])
    length = math.hypot(to_x - x, to_y - y)
    head = min(0.3 * min(ends[0].width, ends[0].height), length / 2)
    right_x, right_y = (to_x - x) / length * head, (to_y - y) / length * head  # along the arrow
    base_x, base_y = to_x - right_x, to_y - right_y
    corners = [(base_x - 0.6 * right_y, base_y + 0.6 * right_x), (base_x + 0.6 * right_y, base_y - 0.6 * right_x)]
    shaft = f"M{x:.2f} {y:.2f}L{base_x:.2f} {base_y:.2f}"
    tip = f"M{to_x:.2f} {to_y:.2f}" + "".join(f"L{corner[0]:.2f} {corner[1]:.2f}" for corner in corners) + "Z"
    return [
        f'<path d="{shaft}{tip}" fill="{stroke}" stroke="{stroke}" stroke-width="{width:.2f}" stroke-linecap="round"'
        ' stroke-linejoin="round"/>'
        for stroke, width in (("#ffffff", 0.3 * head + 3), (color, 0.3 * head))
    ]


def _middle(region: Region) -> tuple[float, float]:
    return region.x + region.width / 2, region.y + region.height / 2


def _stroke(regions: list[Region]) -> str:
    points = [f"{x:g} {y:g}" for x, y in map(_middle, regions)]
    breadth = 0.1 * min(regions[0].width, regions[0].height)
    path = f"M{'L'.join(points)}Z"  # Z closes the path, which completes a square and does not change a line
    return "".join(
        f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{width:.2f}" stroke-opacity="0.8"'
        ' stroke-linecap="round" stroke-linejoin="round"/>'
        for color, width in (("#ffffff", breadth + 5), ("#222222", breadth))
    )
