"""The list of the moves of a game, and the moves of a variation."""

import html
from collections.abc import Callable, Mapping, Sequence

from nicegui import ui
from nicegui.events import GenericEventArguments

from ci_envs.games.position import Position
from ci_envs.web.line import Line
from ci_envs.web.mistakes import Mistake
from ci_envs.web.players import move_text, plies_text
from ci_envs.web.text_element import text_element

ON_CLICK = "(e) => { const b = e.target.closest('[data-ply]'); if (b) emit(+b.dataset.ply); }"
"""The handler of a click on a button of :func:`move_button`. It sends the number of the move."""

_SIGNS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}


class MoveList:
    """The list of moves. A click on a move shows the position after it."""

    def __init__(self, on_go: Callable[[int], None]) -> None:
        """Make the list in the current element.

        Args:
            on_go: Called with the number of moves of the game before the position to show.
        """

        def click(event: GenericEventArguments) -> None:
            on_go(int(event.args))

        text_element("h2", "Moves").classes("panel-title")
        with ui.element("div").classes("move-list").props('tabindex=0 role=group aria-label="Moves"'):
            self._moves = ui.html(sanitize=False, tag="ol").classes("moves").on("click", click, js_handler=ON_CLICK)
        self._variation = ui.html(sanitize=False, tag="p").classes("variation")

    def show(self, line: Line, names: Sequence[str], wrong: Mapping[int, Mistake], shown: int | None) -> None:
        """Show the moves.

        Args:
            line: The line.
            names: The moves of the game as text.
            wrong: The mistakes by the number of the move, from 1.
            shown: The number of moves before the position on the board, or None in a variation.
        """
        before = self._moves.content
        self._moves.set_content("".join(_item(ply, name, wrong.get(ply), shown) for ply, name in enumerate(names, 1)))
        self._variation.set_content(_variation(line))
        if self._moves.content != before:
            self._moves.client.run_javascript(f"showCurrentMove('{self._moves.html_id}')")


def line_text(position: Position, actions: Sequence[int]) -> str:
    """Return the names of actions that are played one after the other from a position on."""
    names = []
    for action in actions:
        names.append(move_text(position, action))
        position = position.play(action)
    return " ".join(names)


def move_button(ply: int, text: str, current: bool = False) -> str:
    """Return a button of a move in HTML.

    Args:
        ply: The number of the move.
        text: The text of the button.
        current: Whether the board shows the position after the move.
    """
    marked = ' aria-current="true"' if current else ""
    return f'<button type="button" data-ply="{ply}"{marked}>{html.escape(text)}</button>'


def _item(ply: int, name: str, wrong: Mistake | None, shown: int | None) -> str:
    mark = f'<span class="mistake" aria-label="{wrong.grade}">{_SIGNS[wrong.grade]}</span>' if wrong else ""
    return f"<li>{move_button(ply, name, ply == shown)}{mark}</li>"


def _variation(line: Line) -> str:
    if not line.variation:
        return ""
    moves = line_text(line.positions[line.base], line.variation)
    return f"Variation after {plies_text(line.base)}: {html.escape(moves)}"
