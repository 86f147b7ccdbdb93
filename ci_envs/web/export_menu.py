"""The menu that exports a game or a position to a file."""

import asyncio
from collections.abc import Callable
from threading import Lock

from gymnasium.error import DependencyNotInstalled
from nicegui import ui

from ci_envs.drawing.picture_file import gif_bytes
from ci_envs.picture import show
from ci_envs.web.line import Line
from ci_envs.web.players import plies_text
from ci_envs.web.schemas import Export
from ci_envs.web.user_errors import error_text

MAX_GIF_MOVES = 200
"""The largest number of moves of an animated GIF, because its pictures need memory."""

_one_at_a_time = Lock()


class ExportMenu:
    """The button Export with its menu."""

    def __init__(self, line: Callable[[], Line]) -> None:
        """Make the button in the current element.

        Args:
            line: Returns the line that is shown.
        """
        self._line = line
        with ui.button("Export", icon="download").props("flat dense no-caps stack").classes("tool"), ui.menu():
            ui.menu_item("Game (JSON)", self._export_json)
            ui.menu_item("Position (SVG)", self._export_svg)
            ui.menu_item("Animation (GIF)", self._export_gif)

    def _export_json(self) -> None:
        hosted = self._line().hosted
        ui.download.content(Export.of(hosted).model_dump_json(indent=2), f"game-{hosted.record.id}.json")

    def _export_svg(self) -> None:
        line = self._line()
        picture = show(line.position, last=line.last).drawing().svg()
        ui.download.content(picture, f"position-{line.hosted.record.id}.svg")

    async def _export_gif(self) -> None:
        line = self._line()
        try:
            content = await asyncio.to_thread(animation, line)
        except (ValueError, DependencyNotInstalled) as error:
            ui.notify(error_text(error), type="warning")
            return
        ui.download.content(content, f"game-{line.hosted.record.id}.gif")


def animation(line: Line) -> bytes:
    """Return the moves of a line as an animated GIF.

    Raises:
        ValueError: The line has more than :data:`MAX_GIF_MOVES` moves.
        DependencyNotInstalled: A package is not installed.
    """
    if line.length > MAX_GIF_MOVES:
        raise ValueError(
            f"A GIF can show {plies_text(MAX_GIF_MOVES)}, but the game has {line.length}. Export it as JSON."
        )
    with _one_at_a_time:
        actions = (None, *line.actions)
        return gif_bytes([show(at, last=action).drawing() for at, action in zip(line.positions, actions, strict=True)])
