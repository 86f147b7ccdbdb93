"""The buttons that change a game: undo, redo, draw, resign, rematch, swapping seats, deleting and retrying."""

from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui

from ci_envs.web.catalog import HUMAN
from ci_envs.web.confirmation import ask_to_delete, is_confirmed
from ci_envs.web.game_service import GameService
from ci_envs.web.game_status import GameStatus
from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.players import people_among
from ci_envs.web.proposals import Kind, is_possible
from ci_envs.web.seats import held_seats, holds_all

Call = Callable[[], HostedGame]


class Controls:
    """The buttons that change a game."""

    def __init__(
        self, service: GameService, id: str, tokens: tuple[str, ...], do: Callable[[Call], Awaitable[bool]]
    ) -> None:
        """Prepare the buttons. :meth:`make_buttons` makes them.

        Args:
            service: The games of the server.
            id: The id of the game.
            tokens: The tokens of the seats of this browser.
            do: Runs a call of the service, updates the page, and returns whether the call succeeded.
        """
        self._service, self._id, self._tokens, self._do = service, id, tokens, do
        self._seats = ("", "")
        self._rematch = ""  # the id, if it has begun

    def make_buttons(self) -> None:
        """Make the buttons in the current element."""
        self._undo_button = tool_button("Undo", "undo", self.undo, "u")
        self._redo_button = tool_button("Redo", "redo", self.redo, "r")
        self._draw_button = tool_button("Draw", "handshake", partial(self.propose, "draw"))
        self._resign_button = tool_button("Resign", "flag", self._ask_to_resign)
        self._rematch_button = tool_button("Rematch", "replay", self._propose_rematch)
        self._swap_button = tool_button("Swap seats", "swap_horiz", self._swap)
        self._delete_button = tool_button("Delete", "delete", self._ask_to_delete)
        self._again_button = tool_button("Retry", "refresh", self._retry)

    def show(self, status: GameStatus) -> None:
        """Enable the buttons that are possible in a status of the game."""
        hosted = status.hosted
        record, held = hosted.record, held_seats(hosted.record, self._tokens)
        self._seats, self._rematch = record.seats, record.rematch
        people = people_among(record, held)
        proposers = people if HUMAN in record.seats else held
        self._undo_button.set_enabled(bool(proposers) and is_possible(hosted, "takeback", proposers))
        self._redo_button.set_enabled(bool(record.undone) and not hosted.ending and hosted.position.to_move in held)
        self._draw_button.set_enabled(bool(people) and is_possible(hosted, "draw", people))
        self._resign_button.set_enabled(not hosted.ending and bool(people))
        possible = bool(proposers) and is_possible(hosted, "rematch", proposers)
        self._rematch_button.set_enabled(possible or bool(record.rematch))
        different = record.seats[0] != record.seats[1]
        self._swap_button.set_enabled(different and len(held) == 2 and not hosted.ending)
        self._delete_button.set_enabled(holds_all(record, held))
        self._again_button.set_visibility(bool(held) and status.agent_error is not None and not status.thinking)

    async def propose(self, kind: Kind) -> None:
        """Propose a draw, taking back a turn or a rematch, or accept the same proposal of the other person."""
        await self._do(lambda: self._service.propose(self._id, kind, tokens=self._tokens))

    async def decline(self) -> None:
        """Decline or withdraw the open proposal."""
        await self._do(lambda: self._service.decline(self._id, tokens=self._tokens))

    async def undo(self) -> None:
        """Take back the last turn, or propose it to the other person."""
        await self.propose("takeback")

    async def redo(self) -> None:
        """Play the moves again that were taken back last."""
        if self._redo_button.enabled:
            await self._do(lambda: self._service.redo(self._id, tokens=self._tokens))

    async def _propose_rematch(self) -> None:
        """Propose a rematch, or go to the rematch that has begun."""
        if self._rematch:
            ui.navigate.to(f"/game/{self._rematch}")
        else:
            await self.propose("rematch")

    async def _swap(self) -> None:
        first, second = self._seats
        await self._do(lambda: self._service.change_seats(self._id, (second, first), tokens=self._tokens))

    async def _ask_to_resign(self) -> None:
        if await is_confirmed("Resign this game?", "Resign"):
            await self._do(lambda: self._service.resign(self._id, tokens=self._tokens))

    async def _ask_to_delete(self) -> None:
        await ask_to_delete(self._service, self._id, self._tokens)

    async def _retry(self) -> None:
        await self._do(lambda: self._service.advance(self._id, tokens=self._tokens))


def tool_button(
    text: str, icon: str, on_click: Callable[[], None] | Callable[[], Awaitable[None]], key: str = ""
) -> ui.button:
    """Add a button with an icon above its text.

    Args:
        text: The text of the button.
        icon: The name of a Material icon.
        on_click: Called on a click.
        key: The keyboard shortcut for the tooltip, or empty.
    """
    button = ui.button(text, icon=icon, on_click=on_click).props("flat dense no-caps stack").classes("tool")
    return button.tooltip(f"key {key}") if key else button
