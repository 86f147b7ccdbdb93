"""The buttons of a game: what its players can do besides moving."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from ci_envs.web.catalog import HUMAN
from ci_envs.web.room import Room
from ci_envs.web.seats import held_seats
from ci_envs.web.standing import Standing
from ci_envs.web.table import Table

Call = Callable[[], Table]


class Controls:
    """Undo, redo, swapping seats, resigning, and what helps when an agent has failed."""

    def __init__(self, room: Room, id: str, tokens: tuple[str, ...], do: Callable[[Call], Awaitable[bool]]) -> None:
        """Make the buttons in the current element.

        Args:
            room: where the game is played.
            id: of the game.
            tokens: of the seats that this browser has.
            do: does something in the room, and returns whether that was accepted.
        """
        self._room, self._id, self._tokens, self._do = room, id, tokens, do
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

    def show(self, standing: Standing) -> None:
        """Enable what is possible now."""
        table = standing.table
        record, held = table.record, held_seats(table.record, self._tokens)
        self._seats = record.seats
        undoable = bool(record.actions or record.resigned is not None) and table.ending != "time"
        self._undo_button.set_enabled(bool(held) and undoable)
        self._redo_button.set_enabled(bool(record.undone) and not table.ending and table.position.to_move in held)
        self._swap_button.set_enabled(len(held) == 2 and not table.ending)
        self._resign_button.set_enabled(not table.ending and any(record.seats[each] == HUMAN for each in held))
        self._again_button.set_visibility(bool(held) and standing.trouble is not None and not standing.thinking)

    async def undo(self) -> None:
        """Take back the last turn."""
        await self._do(lambda: self._room.undo(self._id, tokens=self._tokens))

    async def redo(self) -> None:
        """Play again what was taken back."""
        if self._redo_button.enabled:
            await self._do(lambda: self._room.redo(self._id, tokens=self._tokens))

    async def _swap(self) -> None:
        first, second = self._seats
        await self._do(lambda: self._room.seat(self._id, (second, first), tokens=self._tokens))

    async def _ask_to_resign(self) -> None:
        if await self._dialog:
            await self._do(lambda: self._room.resign(self._id, tokens=self._tokens))

    async def _ask_again(self) -> None:
        await self._do(lambda: self._room.advance(self._id, tokens=self._tokens))


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
