"""The row of a game's page that says whether the visitor plays, with the buttons to take and to free a seat."""

from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui

from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.players import people_among
from ci_envs.web.seats import FREE


class SeatControls:
    """The row that says whether the visitor plays or watches, with buttons to take or to free a seat."""

    def __init__(self, on_change: Callable[[int, bool], Awaitable[None]]) -> None:
        """Make the row in the current element. It is empty at first.

        Args:
            on_change: Called with a player, 0 or 1, and True to take the seat or False to free it.
        """
        self._on_change = on_change
        self._row = ui.row().classes("controls items-center")

    def show(self, hosted: HostedGame, held: list[int]) -> None:
        """Show the seats of a game. The visitor has the seats of the players ``held``."""
        names = [hosted.game.player_name(player) for player in range(2)]
        free = [player for player in range(2) if hosted.record.tokens[player] == FREE]
        people = people_among(hosted.record, held)
        self._row.clear()
        with self._row:
            if not held:
                ui.label("You are watching.").classes("note")
            for player in free:
                if held:
                    ui.label(f"Send the link of this page to the player of {names[player]}.").classes("note")
                self._button(f"Play {names[player]}", "login", player, take=True)
            if len(people) == 2 and not hosted.ending:
                self._button(f"Invite a friend to play {names[1]}", "person_add", 1, take=False)

    def _button(self, text: str, icon: str, player: int, *, take: bool) -> None:
        button = ui.button(text, icon=icon, on_click=partial(self._on_change, player, take))
        button.props("flat dense no-caps")
