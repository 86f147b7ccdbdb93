"""The transparent buttons over the picture of a board, with labels for screen readers."""

import html
from collections.abc import Collection

from ci_envs.drawing.drawing import Drawing, Region
from ci_envs.games.position import Position
from ci_envs.guides import guide_of
from ci_envs.web.board_view import BoardView


def buttons(view: BoardView, clicked: tuple[str, ...], focused: str = "") -> str:
    """Return the clickable regions of a picture as transparent buttons in an SVG of the same size.

    Args:
        view: The content of the board.
        clicked: The regions that were clicked for the current action.
        focused: The region that gets the keyboard focus. Empty means the first clickable region.
    """
    drawing, position = view.drawing(), view.position
    clicks, first_clicks = view.clicks(clicked), view.clicks(())
    possible = {*clicks, *first_clicks, *clicked}
    regions = clickable_regions(drawing.regions, position.game.all_targets)
    names = [region.name for region in regions]
    if focused not in names:
        focused = next((name for name in names if name in clicks), names[0] if names else "")
    shapes = []
    for region in regions:
        name = region.name
        before = clicked if name in clicks else () if name in first_clicks else None
        ending = actions_of(position, clicks.get(name, []), (*clicked, name))
        attributes = {
            "data-region": name,
            "role": "button",
            "tabindex": "0" if name == focused else "-1",
            "aria-label": _label(position, name, before, selected=name in clicked),
            "aria-pressed": str(name in clicked).lower(),
            "aria-disabled": str(name not in possible).lower(),
            "data-preview": " ".join(guide_of(position.game).preview(position, ending[0])) if ending else "",
        }
        written = "".join(f' {key}="{html.escape(value)}"' for key, value in attributes.items())
        box = f'x="{region.x:g}" y="{region.y:g}" width="{region.width:g}" height="{region.height:g}" rx="8"'
        shapes.append(f"<rect{written} {box}/>")
    return Drawing(drawing.width, drawing.height, "".join(shapes)).svg(None)


def _label(position: Position, name: str, before: tuple[str, ...] | None, *, selected: bool) -> str:
    """Return the label of a region for screen readers: its content and the effect of a click.

    Args:
        position: The position.
        name: The name of the region.
        before: The clicks after which a click on the region is part of a legal action, or None.
        selected: Whether the region was clicked for the current action.
    """
    guide = guide_of(position.game)
    contents = guide.contents(position, name)
    label = f"{name}: {contents}" if contents else name
    if selected:
        return f"{label}, selected, put it back"
    return label if before is None else f"{label}, {guide.click_effect(position, before, name)}"


def clickable_regions(regions: Collection[Region], targets: Collection[str]) -> list[Region]:
    """Return the regions that get a button: the targets of actions, and the other regions that no target covers."""
    wanted = [region for region in regions if region.name in targets]
    return [
        region for region in regions if region.name in targets or not any(_overlap(region, target) for target in wanted)
    ]


def _overlap(one: Region, other: Region) -> bool:
    apart = one.x + one.width <= other.x or other.x + other.width <= one.x
    return not (apart or one.y + one.height <= other.y or other.y + other.height <= one.y)


def actions_of(position: Position, actions: Collection[int], clicked: tuple[str, ...]) -> list[int]:
    """Return the actions whose targets are exactly these clicks."""
    return [action for action in actions if position.targets(action) == clicked]
