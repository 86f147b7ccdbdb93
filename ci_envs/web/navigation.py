"""The buttons below a board that navigate through the moves of a game."""

from collections.abc import Callable

from nicegui import ui

from ci_envs.web.line import Line
from ci_envs.web.players import plies_text


class Navigation:
    """The buttons that navigate through the moves, and the button that leaves a variation."""

    def __init__(self, on_change: Callable[[Callable[[Line], Line]], None]) -> None:
        """Make the buttons in the current element.

        Args:
            on_change: Called with a function that maps the current line to the new line.
        """
        self._on_change = on_change
        with ui.row().classes("controls navigation items-center").props('role=group aria-label="Moves of the game"'):
            steps: tuple[tuple[str, str, str, Callable[[Line], Line]], ...] = (
                ("first", "First position", "first_page", lambda line: line.go(0)),
                ("back", "Back", "chevron_left", lambda line: line.go(line.ply - 1)),
                ("forward", "Forward", "chevron_right", lambda line: line.go(line.ply + 1)),
                ("last", "Last position", "last_page", lambda line: line.go(line.length)),
            )
            self._steps = {name: self._step(name, label, icon, step) for name, label, icon, step in steps}
            self._location = ui.label().classes("note")
            self._leave = ui.button("Back to the game", icon="undo", on_click=lambda: on_change(Line.leave))
            self._leave.props("flat dense no-caps")

    def _step(self, name: str, label: str, icon: str, step: Callable[[Line], Line]) -> ui.button:
        button = ui.button(icon=icon, on_click=lambda: self._on_change(step))
        keys = {"first": "Home", "back": "left arrow", "forward": "right arrow", "last": "End"}
        button.tooltip(f"{label} (key: {keys[name]})")
        return button.props(f'flat dense aria-label="{label}"').classes(name)

    def show(self, line: Line) -> None:
        """Enable the possible buttons for a line, and show the current move number."""
        self._steps["first"].set_enabled(line.ply > 0)
        self._steps["back"].set_enabled(line.ply > 0)
        self._steps["forward"].set_enabled(line.ply < line.length)
        self._steps["last"].set_enabled(line.ply < line.length)
        after = f"after {line.ply} of {plies_text(line.length)}"
        if line.variation:
            self._location.set_text(f"Variation: {after}. The game does not change.")
        else:
            self._location.set_text("" if line.is_current else f"Position {after}")
        self._leave.set_visibility(bool(line.variation))
