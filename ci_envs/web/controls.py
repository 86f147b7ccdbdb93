"""The buttons of a game: what its players can do besides moving."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from ci_envs.web.catalog import HUMAN
from ci_envs.web.game_service import GameService
from ci_envs.web.game_status import GameStatus
from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.seats import held_seats

Call = Callable[[], HostedGame]


class Controls:
    """Undo, redo, swapping seats, resigning, and what helps when an agent has failed."""

    def __init__(
        self, service: GameService, id: str, tokens: tuple[str, ...], do: Callable[[Call], Awaitable[bool]]
    ) -> None:
        """Make the buttons in the current element.

        Args:
            service: where the game is played.
            id: of the game.
            tokens: of the seats that this browser has.
            do: does something in the service, and returns whether that was accepted.
        """
        self._service, self._id, self._tokens, self._do = service, id, tokens, do
        self._undo_button = tool_button("Undo", "undo", self.undo, "u")
        self._redo_button = tool_button("Redo", "redo", self.redo, "r")
        self._swap_button = tool_button("Swap seats", "swap_horiz", self._swap)
        self._resign_button = tool_button("Resign", "flag", self._ask_to_resign)
        self._again_button = tool_button("Ask again", "refresh", self._ask_again)
        self._seats = ("", "")
        with ui.dialog() as self._dialog, ui.card().props('role=alertdialog aria-label="Resign this game?"'):
            ui.label("Resign this game?")
            with ui.row():
                ui.button("Resign", on_click=lambda: self._dialog.submit(True)).props("no-caps")
                ui.button("Cancel", on_click=lambda: self._dialog.submit(False)).props("flat no-caps autofocus")

    def show(self, status: GameStatus) -> None:
        """Enable what is possible now."""
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
        """Play again what was taken back."""
        if self._redo_button.enabled:
            await self._do(lambda: self._service.redo(self._id, tokens=self._tokens))

    async def _swap(self) -> None:
        first, second = self._seats
        await self._do(lambda: self._service.seat(self._id, (second, first), tokens=self._tokens))

    async def _ask_to_resign(self) -> None:
        if await self._dialog:
            await self._do(lambda: self._service.resign(self._id, tokens=self._tokens))

    async def _ask_again(self) -> None:
        await self._do(lambda: self._service.advance(self._id, tokens=self._tokens))


def tool_button(
    text: str, icon: str, on_click: Callable[[], None] | Callable[[], Awaitable[None]], key: str = ""
) -> ui.button:
    """Add a button with an icon.

    Args:
        text: on the button.
        icon: the name of a Material icon.
        on_click: called on a click.
        key: the key that does the same, for the tooltip; empty if there is none.
    """
    button = ui.button(text, icon=icon, on_click=on_click).props("flat dense no-caps")
    return button.tooltip(f"key {key}") if key else button
