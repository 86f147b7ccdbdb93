"""The controls of games in which agents play each other."""

from collections.abc import Awaitable, Callable
from time import monotonic

from nicegui import ui

from ci_envs.web.catalog import HUMAN
from ci_envs.web.game_status import GameStatus

_INTERVAL = 0.1  # seconds between two checks whether the next move is due


class Autoplay:
    """A switch that lets agents play on, a slider for the time between moves, and a button for a single move."""

    def __init__(self, on_move: Callable[[], Awaitable[None]]) -> None:
        """Make the controls in the current element.

        Args:
            on_move: Called to let the agent to move play.
        """
        self._on_move = on_move
        self._last_move = monotonic()
        self._plies = -1
        self._thinking = False
        with ui.row().classes("controls items-center autoplay") as self._row:
            self._switch = ui.switch("Autoplay", on_change=self._update_timer)
            ui.button("Next move", icon="skip_next", on_click=on_move).props("flat dense no-caps")
            ui.label("Seconds per move").classes("note")
            self._delay = ui.slider(min=0, max=3, step=0.1, value=0.7).props("label aria-label='Seconds per move'")
        self._timer = ui.timer(_INTERVAL, self._play_if_due, active=False)

    def show(self, status: GameStatus, has_seat: bool) -> None:
        """Show the controls if both players are agents.

        Args:
            status: The status of the game.
            has_seat: Whether this browser has a seat.
        """
        hosted, self._thinking = status.hosted, status.thinking
        self._row.set_visibility(has_seat and HUMAN not in hosted.record.seats and not hosted.ending)
        if status.agent_error is not None or len(hosted.record.actions) < self._plies:  # or after an undo
            self._switch.value = False
        if len(hosted.record.actions) != self._plies:
            self._plies, self._last_move = len(hosted.record.actions), monotonic()
        self._update_timer()

    def stop(self) -> None:
        """Hide the controls, and let no agent play."""
        self._row.set_visibility(False)
        self._update_timer()

    def _update_timer(self) -> None:
        self._timer.active = bool(self._row.visible and self._switch.value)

    async def _play_if_due(self) -> None:
        if not self._thinking and monotonic() - self._last_move >= self._delay.value:
            await self._on_move()
