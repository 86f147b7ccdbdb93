"""The board of a page: a picture with a transparent button over each cell."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from nicegui import ui
from nicegui.events import GenericEventArguments

from ci_envs.drawing.annotation import annotated
from ci_envs.web.board_view import BoardView
from ci_envs.web.cells import actions_of, buttons

# ignores the second click of a double click, because it would play in the position after the move
_ON_CLICK = "(e) => { const r = e.target.closest('[data-region]'); if (r && e.detail < 2) emit(r.dataset.region); }"
_ON_KEY = """(e) => {
    const r = e.target.closest('[data-region]');
    if (r && (e.key === 'Enter' || e.key === ' ')) { e.preventDefault(); emit(r.dataset.region); }
}"""


class Board:
    """A board on a page."""

    def __init__(self, on_action: Callable[[int], Awaitable[None]]) -> None:
        """Make the board in the current element.

        Args:
            on_action: Called with the action whose regions were clicked.
        """
        self._on_action = on_action
        self._view: BoardView | None = None
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

    def show(self, view: BoardView) -> None:
        """Show a position. If the position is new, deselect all cells."""
        before = self._view
        moved = before is not None and view.position != before.position
        if moved:
            self._clicked = ()
        self._view = view
        self._frame.classes(remove="rotated mirrored", add=_side(view))
        self._draw(slide(view) if before is not None and moved and _follows(before, view) else "")

    def deselect(self) -> None:
        """Deselect all cells."""
        self._clicked = ()
        self._draw()

    def _draw(self, style: str = "") -> None:
        assert self._view is not None
        view = self._view
        marked = annotated(view.drawing(), view.marks(self._clicked))
        picture = marked.svg(None)
        if picture != self._drawn:  # because the same picture would restart the animation
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
        before = self._clicked
        actions = self._view.clicks(before).get(region)
        if not actions and before:  # the click begins another action, for example with another own cube
            before, actions = (), self._view.clicks(()).get(region)
        if not actions:
            self._say(self._view.refusal(self._clicked, region), illegal=True)
            return
        clicked = (*before, region)
        chosen = actions_of(self._view.position, actions, clicked)
        self._clicked = () if chosen else clicked
        if chosen:
            self._playing = True
            try:
                await self._on_action(chosen[0])
            finally:
                self._playing = False
        else:
            self._draw()


def _side(view: BoardView) -> str:
    """Return the style of a flipped board."""
    if not view.flipped:
        return ""
    return "mirrored" if view.position.game.upright else "rotated"


def _follows(before: BoardView, after: BoardView) -> bool:
    """Return whether a view shows the position one move after another view."""
    action = after.last
    return action in before.position.legal_actions() and before.position.play(action) == after.position


def slide(view: BoardView) -> str:
    """Return a style that animates the cells of the row or column that the last action moved.

    The cells slide from the first to the second region of the action, as in Quixo. In other games the style is empty.
    """
    targets = () if view.last is None else view.position.last_targets(view.last)
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
