"""The pages, on the application that answers the REST interface."""

import asyncio
from pathlib import Path

from fastapi import FastAPI, HTTPException
from nicegui import app as pages
from nicegui import ui

from ci_envs.web.game_page import GamePage
from ci_envs.web.judge import Judge
from ci_envs.web.lobby import Lobby
from ci_envs.web.store import UnknownGameError

_YEAR = 365 * 24 * 3600
_PATIENCE = 120.0  # seconds to build a page: the first to need a game's rules waits for them to be compiled


def add_pages(app: FastAPI, secret: str) -> None:
    """Add the pages to an application of :func:`~ci_envs.web.app.create_app`, once a process: NiceGUI has one app.

    Args:
        app: the application.
        secret: the key that cookies are signed with; with another one, browsers lose their list of games.
    """
    room, thinker = app.state.room, app.state.thinker
    judge = Judge(thinker)

    @app.api_route("/api/{rest:path}", include_in_schema=False)
    def unknown(rest: str) -> None:
        raise HTTPException(404)  # as JSON: what is below is answered by pages

    @ui.page("/", response_timeout=_PATIENCE)
    async def lobby(environment: str = "", position: str = "") -> None:
        owner = pages.storage.browser["id"]
        games = await asyncio.to_thread(room.owned, owner, 20)
        _frame()
        Lobby(room, owner, environment, position, games)

    @ui.page("/game/{id}", response_timeout=_PATIENCE)
    async def game(id: str) -> None:
        _frame()
        try:
            table = await asyncio.to_thread(room.resume, id)
        except UnknownGameError as error:
            ui.label(str(error)).classes("status")
            return
        GamePage(room, thinker, judge, table)

    ui.run_with(
        app,
        title="ci_envs",
        dark=None,
        storage_secret=secret,
        session_middleware_kwargs={"max_age": _YEAR},
        show_welcome_message=False,
    )


def _frame() -> None:
    """What every page has: its looks, and the way back to the first one."""
    ui.add_css(Path(__file__).with_name("page.css"))
    dark = ui.dark_mode(None)
    with ui.row().classes("top"):
        ui.link("ci_envs", "/").classes("home")
        ui.space()
        with ui.button_group().props("flat"):
            for icon, value, name in (
                ("brightness_auto", None, "as the system"),
                ("light_mode", False, "light"),
                ("dark_mode", True, "dark"),
            ):
                button = ui.button(icon=icon, on_click=lambda value=value: dark.set_value(value))
                button.props(f"flat dense aria-label='{name}'").tooltip(name)
