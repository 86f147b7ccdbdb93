"""The controls of games in which agents play each other."""

from collections.abc import Awaitable, Callable
from time import monotonic

from nicegui import ui

from ci_envs.web.catalog import HUMAN
from ci_envs.web.standing import Standing


class Autoplay:
    """A switch that lets agents play on, with the time between moves, and a button for a single move."""

    def __init__(self, on_move: Callable[[], Awaitable[None]]) -> None:
        """Make the controls in the current element.

        Args:
            on_move: called to let the agent to move play.
        """
        self._last_move = monotonic()
        self._plies = -1
        with ui.row().classes("controls items-center autoplay") as self._row:
            self._switch = ui.switch("Autoplay")
            ui.button("Next move", icon="skip_next", on_click=on_move).props("flat dense no-caps")
            ui.label("Seconds per move").classes("note")
            self._delay = ui.slider(min=0, max=3, step=0.1, value=0.7).props("label aria-label='Seconds per move'")
            self._delay.classes("w-40")

    def show(self, standing: Standing, plays: bool) -> None:
        """Show the controls where agents play each other.

        Args:
            standing: where the game stands.
            plays: whether this browser has a seat.
        """
        table = standing.table
        self._row.set_visibility(plays and HUMAN not in table.record.seats and not table.ending)
        if len(table.record.actions) < self._plies:  # a move was taken back
            self._switch.value = False
        if len(table.record.actions) != self._plies:
            self._plies, self._last_move = len(table.record.actions), monotonic()

    def is_due(self, thinking: bool) -> bool:
        """Return whether it is time for the next move.

        Args:
            thinking: whether an agent thinks already.
        """
        waited = monotonic() - self._last_move >= self._delay.value
        return bool(self._row.visible and self._switch.value and waited and not thinking)
