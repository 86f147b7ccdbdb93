"""The board: a picture, and over it a button for each cell."""

import html
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from nicegui import ui
from nicegui.events import GenericEventArguments

from ci_envs.agent.analysis import Analysis
from ci_envs.drawing.annotation import Marks, annotated
from ci_envs.drawing.drawing import Drawing, Region
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.picture import arrow_of, marks_of, next_clicks

# the second click of a double click would be for the position after the move
_ON_CLICK = "(e) => { const r = e.target.closest('[data-region]'); if (r && e.detail < 2) emit(r.dataset.region); }"
_ON_KEY = """(e) => {
    const r = e.target.closest('[data-region]');
    if (r && (e.key === 'Enter' || e.key === ' ')) { e.preventDefault(); emit(r.dataset.region); }
}"""


@dataclass(frozen=True)
class View:
    """What a board shows.

    Attributes:
        position: what is shown.
        last: the action that led to it.
        playable: whether the user may play now.
        tries: whether a move is tried in a variation, not played in the game.
        blocked: why the user may not play now, in a sentence, which a click shows.
        analysis: the analysis to show, or None.
        scores: the exact scores of the actions, or nothing.
        hint: an action that was recommended.
        flipped: whether the board is shown from the other side.
    """

    position: Position
    last: int | None = None
    playable: bool = False
    tries: bool = False
    blocked: str = ""
    analysis: Analysis | None = None
    scores: tuple[int, ...] = ()
    hint: int | None = None
    flipped: bool = False

    def clicks(self, clicked: tuple[str, ...]) -> dict[str, list[int]]:
        """The regions to click next, as of :func:`~ci_envs.picture.next_clicks`; none if the user may not play."""
        actions = self.position.legal_actions() if self.playable else ()
        return next_clicks(self.position.game, actions, clicked)

    def drawing(self) -> Drawing:
        """The picture without marks."""
        return self.position.game.draw(self.position.own, self.position.opp, self.position.to_move)

    def marks(self, clicked: tuple[str, ...]) -> Marks:
        """What to mark after some clicks."""
        marks = marks_of(self.position, self.analysis, self.last, scores=self.scores, clicked=clicked)
        marks = replace(marks, clickable=tuple(self.clicks(clicked)))
        if self.hint is None:
            return marks
        game = self.position.game
        return replace(marks, best=game.targets(self.hint), best_arrow=arrow_of(game, self.hint))

    def prompt(self, clicked: tuple[str, ...]) -> str:
        """What the user has to do next, in a sentence; nothing if the user may not play."""
        if not self.playable:
            return ""
        text = self.position.game.prompt(self.position.own, self.position.opp, clicked)
        text = f"try a move: {text}" if self.tries else text
        return f"{text[:1].upper()}{text[1:]}."

    def refusal(self, clicked: tuple[str, ...], region: str) -> str:
        """Why a click on a region does nothing, in a sentence."""
        position = self.position
        if not self.playable:
            return self.blocked
        return position.game.why_illegal(position.own, position.opp, position.to_move, clicked, region)


class Board:
    """A board on a page."""

    def __init__(self, on_action: Callable[[int], Awaitable[None]]) -> None:
        """Make it in the current element.

        Args:
            on_action: called with the action whose regions were clicked.
        """
        self._on_action = on_action
        self._view: View | None = None
        self._clicked: tuple[str, ...] = ()
        self._playing = False
        self._with_keys = False
        self._focused = ""
        self._drawn = ""
        ui.add_body_html(f"<script>{Path(__file__).with_name('board.js').read_text()}</script>")
        self._prompt = ui.label().classes("prompt").props("aria-live=polite")
        with ui.element("div").classes("board") as self._frame:
            self._picture = ui.html(sanitize=False).props("aria-hidden=true")
            self._buttons = ui.html(sanitize=False).classes("buttons").props("role=group aria-label=Board")
        self._buttons.on("click", self._on_click, js_handler=_ON_CLICK)
        self._buttons.on("keydown", self._on_key, js_handler=_ON_KEY)

    def show(self, view: View) -> None:
        """Show a position; if it is another one than before, forget what was clicked."""
        before = self._view
        moved = before is not None and view.position != before.position
        if moved:
            self._clicked = ()
        self._view = view
        self._frame.classes(remove="rotated mirrored", add=_side(view))
        self._draw(slide(view) if before is not None and moved and _follows(before, view) else "")

    def deselect(self) -> None:
        """Forget what was clicked."""
        self._clicked = ()
        self._draw()

    def _draw(self, style: str = "") -> None:
        assert self._view is not None
        view = self._view
        marked = annotated(view.drawing(), view.marks(self._clicked))
        picture = marked.svg(None)
        if picture != self._drawn:  # else what slides would stop
            self._picture.set_content(f"{style}{picture}")
            self._drawn = picture
        self._say(view.prompt(self._clicked))
        before = self._buttons.content
        self._buttons.set_content(buttons(view, self._clicked, self._focused))
        if self._with_keys and self._buttons.content != before:
            self._buttons.client.run_javascript(f"restoreBoardFocus('{self._buttons.html_id}')")

    def _say(self, text: str, *, illegal: bool = False) -> None:
        self._prompt.set_text(text)
        self._prompt.classes(add="illegal" if illegal else "", remove="" if illegal else "illegal")

    async def _on_click(self, event: GenericEventArguments) -> None:
        self._with_keys = False
        await self._click(event.args)

    async def _on_key(self, event: GenericEventArguments) -> None:
        self._with_keys, self._focused = True, event.args
        await self._click(event.args)

    async def _click(self, region: str) -> None:
        if self._view is None or self._playing:
            return
        if region in self._clicked:
            self.deselect()
            return
        actions = self._view.clicks(self._clicked).get(region)
        if not actions:
            self._say(self._view.refusal(self._clicked, region), illegal=True)
            return
        clicked = (*self._clicked, region)
        chosen = _ending_with(self._view.position.game, actions, clicked)
        self._clicked = () if chosen else clicked
        if chosen:
            self._playing = True
            try:
                await self._on_action(chosen[0])
            finally:
                self._playing = False
        else:
            self._draw()


def buttons(view: View, clicked: tuple[str, ...], focused: str = "") -> str:
    """Return what can be clicked in a picture as transparent buttons, in a picture of the same size.

    Args:
        view: what the board shows.
        clicked: the regions that were clicked so far.
        focused: the region that a key reaches first; by default the first one that can be clicked.
    """
    drawing, game, clicks = view.drawing(), view.position.game, view.clicks(clicked)
    regions = clickable_regions(drawing.regions, targets_of(game))
    names = [region.name for region in regions]
    if focused not in names:
        focused = next((name for name in names if name in clicks), names[0] if names else "")
    shapes = []
    for region in regions:
        name = region.name
        ending = _ending_with(game, clicks.get(name, []), (*clicked, name))
        attributes = {
            "data-region": name,
            "role": "button",
            "tabindex": "0" if name == focused else "-1",
            "aria-label": _label(view, clicks, clicked, name),
            "aria-pressed": str(name in clicked).lower(),
            "aria-disabled": str(name not in clicks and name not in clicked).lower(),
            "data-preview": " ".join(game.preview(ending[0])) if ending else "",
        }
        written = "".join(f' {key}="{html.escape(value)}"' for key, value in attributes.items())
        box = f'x="{region.x:g}" y="{region.y:g}" width="{region.width:g}" height="{region.height:g}" rx="8"'
        shapes.append(f"<rect{written} {box}/>")
    return Drawing(drawing.width, drawing.height, "".join(shapes)).svg(None)


def _label(view: View, clicks: Mapping[str, list[int]], clicked: tuple[str, ...], name: str) -> str:
    """Return what a region shows and what a click on it does, for screen readers."""
    position = view.position
    contents = position.game.contents(position.own, position.opp, position.to_move, name)
    label = f"{name}: {contents}" if contents else name
    if name in clicked:
        return f"{label}, selected, put it back"
    return f"{label}, {position.game.click_effect(position.to_move, clicked, name)}" if name in clicks else label


@lru_cache(maxsize=256)
def targets_of(game: Game) -> frozenset[str]:
    """Return the names of all regions that are clicked for an action of a game."""
    return frozenset(target for action in range(game.action_count) for target in game.targets(action))


def clickable_regions(regions: Collection[Region], targets: Collection[str]) -> list[Region]:
    """Return the regions that get a button: the targets of actions, and the others that no target covers."""
    wanted = [region for region in regions if region.name in targets]
    return [
        region for region in regions if region.name in targets or not any(_overlap(region, target) for target in wanted)
    ]


def _overlap(one: Region, other: Region) -> bool:
    apart = one.x + one.width <= other.x or other.x + other.width <= one.x
    return not (apart or one.y + one.height <= other.y or other.y + other.height <= one.y)


def _ending_with(game: Game, actions: Collection[int], clicked: tuple[str, ...]) -> list[int]:
    """Return the actions that these clicks complete."""
    return [action for action in actions if game.targets(action) == clicked]


def _side(view: View) -> str:
    """Return the style of a flipped board."""
    if not view.flipped:
        return ""
    return "mirrored" if view.position.game.upright else "rotated"


def _follows(before: View, after: View) -> bool:
    """Whether a view shows the position after the next move."""
    action = after.last
    return action in before.position.legal_actions() and before.position.play(action) == after.position


def slide(view: View) -> str:
    """A style that lets the cells from the first to the second region of the last action slide to where they are.

    That is how Quixo's rows move; an action of one region moves nothing.
    """
    targets = () if view.last is None else view.position.game.targets(view.last)
    if len(targets) != 2 or not view.position.game.slides:
        return ""
    regions = {region.name: region for region in view.drawing().regions}
    taken, end = (regions[name] for name in targets)
    left, right = sorted((taken.x, end.x))
    top, bottom = sorted((taken.y, end.y))
    moved = [
        f".board svg > g:nth-of-type({number})"
        for number, (name, region) in enumerate(regions.items(), start=1)
        if len(name) > 1 and left <= region.x <= right and top <= region.y <= bottom
    ]
    x, y = (_sign(end.x - taken.x) * end.width, _sign(end.y - taken.y) * end.height)
    return (
        f"<style>@keyframes slide {{ from {{ translate: {x:g}px {y:g}px; }} }}"
        f"@media (prefers-reduced-motion: no-preference) {{ {','.join(moved)} {{ animation: slide 0.25s ease-out; }} }}"
        "</style>"
    )


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)
