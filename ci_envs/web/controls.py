"""The buttons for undo, redo, swapping seats, resignation, and for retrying after an error of an agent."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from ci_envs.web.catalog import HUMAN
from ci_envs.web.game_service import GameService
from ci_envs.web.game_status import GameStatus
from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.seats import held_seats

Call = Callable[[], HostedGame]


class Controls:
    """The buttons for undo, redo, swapping seats, resignation, and for retrying after an error of an agent."""

    def __init__(
        self, service: GameService, id: str, tokens: tuple[str, ...], do: Callable[[Call], Awaitable[bool]]
    ) -> None:
        """Make the buttons in the current element.

        Args:
            service: The games of the server.
            id: The id of the game.
            tokens: The tokens of the seats of this browser.
            do: Runs a call of the service, updates the page, and returns whether the call succeeded.
        """
        self._service, self._id, self._tokens, self._do = service, id, tokens, do
        self._undo_button = tool_button("Undo", "undo", self.undo, "u")
        self._redo_button = tool_button("Redo", "redo", self.redo, "r")
        self._swap_button = tool_button("Swap seats", "swap_horiz", self._swap)
        self._resign_button = tool_button("Resign", "flag", self._ask_to_resign)
        self._again_button = tool_button("Retry", "refresh", self._retry)
        self._seats = ("", "")
        with ui.dialog() as self._dialog, ui.card().props('role=alertdialog aria-label="Resign this game?"'):
            ui.label("Resign this game?")
            with ui.row():
                ui.button("Resign", on_click=lambda: self._dialog.submit(True)).props("no-caps")
                ui.button("Cancel", on_click=lambda: self._dialog.submit(False)).props("flat no-caps autofocus")

    def show(self, status: GameStatus) -> None:
        """Enable the buttons that are possible in a status of the game."""
        hosted = status.hosted
        record, held = hosted.record, held_seats(hosted.record, self._tokens)
        self._seats = record.seats
        undoable = bool(record.actions or record.resigned is not None) and hosted.ending != "time"
        self._undo_button.set_enabled(bool(held) and undoable)
        self._redo_button.set_enabled(bool(record.undone) and not hosted.ending and hosted.position.to_move in held)
        self._swap_button.set_enabled(len(held) == 2 and not hosted.ending)
        self._resign_button.set_enabled(not hosted.ending and any(record.seats[each] == HUMAN for each in held))
        self._again_button.set_visibility(bool(held) and status.agent_error is not None and not status.thinking)

    async def undo(self) -> None:
        """Take back the last turn."""
        await self._do(lambda: self._service.undo(self._id, tokens=self._tokens))

    async def redo(self) -> None:
        """Play the moves again that were taken back last."""
        if self._redo_button.enabled:
            await self._do(lambda: self._service.redo(self._id, tokens=self._tokens))

    async def _swap(self) -> None:
        first, second = self._seats
        await self._do(lambda: self._service.change_seats(self._id, (second, first), tokens=self._tokens))

    async def _ask_to_resign(self) -> None:
        if await self._dialog:
            await self._do(lambda: self._service.resign(self._id, tokens=self._tokens))

    async def _retry(self) -> None:
        await self._do(lambda: self._service.advance(self._id, tokens=self._tokens))


def tool_button(
    text: str, icon: str, on_click: Callable[[], None] | Callable[[], Awaitable[None]], key: str = ""
) -> ui.button:
    """Add a button with an icon.

    Args:
        text: The text of the button.
        icon: The name of a Material icon.
        on_click: Called on a click.
        key: The keyboard shortcut for the tooltip, or empty.
    """
    button = ui.button(text, icon=icon, on_click=on_click).props("flat dense no-caps")
    return button.tooltip(f"key {key}") if key else button
