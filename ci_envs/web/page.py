"""The pages, on the application that answers the REST interface."""

import asyncio
from functools import partial
from pathlib import Path

from fastapi import FastAPI, HTTPException, Request
from nicegui import app as pages
from nicegui import ui
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from ci_envs.web.evaluation import PositionEvaluator
from ci_envs.web.game_page import GamePage
from ci_envs.web.lobby import Lobby
from ci_envs.web.store import UnknownGameError

_YEAR = 365 * 24 * 3600
_DARK = {"True": True, "False": False}
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_PATIENCE = 120.0  # seconds to build a page: the first to need a game's rules waits for them to be compiled


def add_pages(app: FastAPI, secret: str) -> None:
    """Add the pages to an application of :func:`~ci_envs.web.app.create_app`, once a process: NiceGUI has one app.

    Args:
        app: the application.
        secret: the key that cookies are signed with; with another one, browsers lose their list of games.
    """
    room, thinker = app.state.room, app.state.thinker
    evaluator = PositionEvaluator(thinker)
    interface = list(app.routes)

    @app.api_route("/api/{rest:path}", methods=list(_METHODS), include_in_schema=False)
    def unknown(request: Request) -> None:
        """In JSON: what no route of the application takes is answered by pages."""
        scopes = {method: {**request.scope, "method": method} for method in _METHODS}
        allowed = [method for method, scope in scopes.items() if any(map(partial(_takes, scope), interface))]
        raise HTTPException(405, headers={"Allow": ", ".join(allowed)}) if allowed else HTTPException(404)

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
        GamePage(room, thinker, evaluator, table)

    ui.run_with(
        app,
        title="ci_envs",
        dark=None,
        storage_secret=secret,
        session_middleware_kwargs={"max_age": _YEAR},
        show_welcome_message=False,
    )


def _takes(scope: Scope, route: BaseRoute) -> bool:
    return route.matches(scope)[0] == Match.FULL


def _frame() -> None:
    """What every page has: its looks, and the way back to the first one."""
    ui.add_css(Path(__file__).with_name("page.css"))
    dark = ui.dark_mode(_DARK.get(ui.context.client.request.cookies.get("dark", "")))

    def choose(value: bool | None) -> None:
        dark.set_value(value)
        ui.run_javascript(f"document.cookie = 'dark={value}; path=/; max-age={_YEAR}; samesite=lax'")

    with ui.row().classes("top"):
        ui.link("ci_envs", "/").classes("home")
        ui.space()
        with ui.button_group().props("flat"):
            for icon, value, name in (
                ("brightness_auto", None, "as the system"),
                ("light_mode", False, "light"),
                ("dark_mode", True, "dark"),
            ):
                button = ui.button(icon=icon, on_click=partial(choose, value))
                button.props(f"flat dense aria-label='{name}'").tooltip(name)
