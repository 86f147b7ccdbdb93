"""The board: a picture, and over it what can be clicked."""

import html
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace

from nicegui import ui
from nicegui.events import GenericEventArguments

from ci_envs.agent.analysis import Analysis
from ci_envs.drawing.annotation import Marks, annotated
from ci_envs.drawing.drawing import Drawing
from ci_envs.games.position import Position
from ci_envs.picture import marks_of, next_clicks

_ON_CLICK = "(e) => { const r = e.target.closest('[data-region]'); if (r) emit(r.dataset.region); }"
_ON_KEY = """(e) => {
    const r = e.target.closest('[data-region]');
    if (r && (e.key === 'Enter' || e.key === ' ')) { e.preventDefault(); emit(r.dataset.region); }
}"""


@dataclass(frozen=True)
class View:
    """What there is to see.

    Attributes:
        position: what is shown.
        last: the action that led to it.
        playable: whether a person may play now.
        analysis: the analysis to show, or None.
        scores: the exact scores of the actions, likewise.
        hint: an action that was recommended.
    """

    position: Position
    last: int | None = None
    playable: bool = False
    analysis: Analysis | None = None
    scores: tuple[int, ...] = ()
    hint: int | None = None

    def clicks(self, clicked: tuple[str, ...]) -> dict[str, list[int]]:
        """The regions to click next, as of :func:`~ci_envs.picture.next_clicks`; none if nobody may play."""
        actions = self.position.legal_actions() if self.playable else ()
        return next_clicks(self.position.game, actions, clicked)

    def drawing(self) -> Drawing:
        """The picture without marks."""
        return self.position.game.draw(self.position.own, self.position.opp, self.position.to_move)

    def marks(self, clicked: tuple[str, ...]) -> Marks:
        """What to mark after some clicks."""
        marks = marks_of(self.position, self.analysis, self.last, scores=self.scores, clicked=clicked)
        hinted = () if self.hint is None else self.position.game.targets(self.hint)
        return replace(marks, clickable=tuple(self.clicks(clicked)), best=marks.best or hinted)


class Board:
    """A board on a page."""

    def __init__(self, on_action: Callable[[int], Awaitable[None]]) -> None:
        """Make it.

        Args:
            on_action: called with the action whose regions were clicked.
        """
        self._on_action = on_action
        self._view: View | None = None
        self._clicked: tuple[str, ...] = ()
        self._with_keys = False
        self._drawn = ""
        with ui.element("div").classes("board"):
            self._picture = ui.html(sanitize=False)
            self._buttons = ui.html(sanitize=False).classes("buttons")
        self._buttons.on("click", self._on_click, js_handler=_ON_CLICK)
        self._buttons.on("keydown", self._on_key, js_handler=_ON_KEY)

    def show(self, view: View) -> None:
        """Show a position; another one than before forgets what was clicked."""
        moved = self._view is not None and view.position != self._view.position
        if moved:
            self._clicked = ()
        self._view = view
        self._draw(slide(view) if moved else "")

    def deselect(self) -> None:
        """Forget what was clicked."""
        self._clicked = ()
        self._draw()

    def _draw(self, style: str = "") -> None:
        assert self._view is not None
        marked = annotated(self._view.drawing(), self._view.marks(self._clicked))
        picture = marked.svg(None)
        if picture != self._drawn:  # else what slides would stop
            self._picture.set_content(f"{style}{picture}")
            self._drawn = picture
        before = self._buttons.content
        self._buttons.set_content(buttons(marked, self._view.clicks(self._clicked), self._clicked))
        if self._with_keys and self._buttons.content != before:
            self._focus()

    def _focus(self) -> None:
        """Let who plays with keys go on where they were: what they had focused is not there any more."""
        selector = f'#{self._buttons.html_id} [data-region="{self._clicked[-1]}"]' if self._clicked else ""
        first = f"#{self._buttons.html_id} [data-region]"
        find = f"document.querySelector('{selector or first}')"
        self._buttons.client.run_javascript(f"setTimeout(() => {find}?.focus(), 50)")

    async def _on_click(self, event: GenericEventArguments) -> None:
        self._with_keys = False
        await self._click(event.args)

    async def _on_key(self, event: GenericEventArguments) -> None:
        self._with_keys = True
        await self._click(event.args)

    async def _click(self, region: str) -> None:
        if self._view is None:
            return
        if region in self._clicked:
            self.deselect()
            return
        actions = self._view.clicks(self._clicked).get(region)
        if not actions:
            return
        clicked = (*self._clicked, region)
        chosen = [action for action in actions if self._view.position.game.targets(action) == clicked]
        self._clicked = () if chosen else clicked
        if chosen:
            await self._on_action(chosen[0])
        else:
            self._draw()


def buttons(drawing: Drawing, clicks: Iterable[str], clicked: tuple[str, ...]) -> str:
    """What can be clicked of a picture, as transparent buttons in a picture of the same size."""
    wanted = {*clicks, *clicked}
    shapes = "".join(
        f'<rect data-region="{html.escape(region.name)}" role="button" tabindex="0"'
        f' aria-label="{html.escape(region.name)}" aria-pressed="{str(region.name in clicked).lower()}"'
        f' x="{region.x:g}" y="{region.y:g}" width="{region.width:g}" height="{region.height:g}" rx="8"/>'
        for region in drawing.regions
        if region.name in wanted
    )
    return Drawing(drawing.width, drawing.height, shapes).svg(None)


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
