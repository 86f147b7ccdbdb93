"""The panel of a player beside the board: the name, the clock, and whether it is the player's turn."""

from collections.abc import Collection

from nicegui import ui

from ci_envs.web.clock import clock_text
from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.players import person_text


class PlayerPanel:
    """The panel of a player."""

    def __init__(self, place: str) -> None:
        """Make the panel in the current element.

        Args:
            place: The class of the panel: ``top`` or ``bottom``.
        """
        with ui.element("section").classes(f"player {place}").props('aria-label="Player"') as self._panel:
            self._symbol = ui.label().classes("symbol")
            self._name = ui.label().classes("player-name")
            self._turn = ui.label("to move").classes("turn")
            self._clock = ui.label().classes("clock").props("role=timer")

    def show(self, hosted: HostedGame, player: int, held: Collection[int]) -> None:
        """Show a player, 0 or 1, of a game to a visitor who has some seats."""
        to_move = not hosted.ending and hosted.position.to_move == player
        self._symbol.set_text(hosted.game.player_name(player))
        self._symbol.classes(add=("first", "second")[player], remove=("second", "first")[player])
        self._name.set_text(person_text(hosted.record, player, held))
        self._turn.set_visibility(to_move)
        self._panel.classes(add="to-move" if to_move else "", remove="" if to_move else "to-move")

    def show_clock(self, seconds: float | None) -> None:
        """Show the seconds that the player has left, or no clock."""
        self._clock.set_text("" if seconds is None else clock_text(seconds))
