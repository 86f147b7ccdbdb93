"""The pages of the server: the first page, the pages of the rules and the pages of games."""

import asyncio
import html
from functools import partial
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from nicegui import app as pages
from nicegui import ui

from ci_envs.web.agent_process import AgentError
from ci_envs.web.analysis_service import AnalysisService
from ci_envs.web.daily_puzzles import DailyPuzzles
from ci_envs.web.evaluation import PositionEvaluator
from ci_envs.web.explorer import explore
from ci_envs.web.explorer_page import explorer_list, explorer_page
from ci_envs.web.game_page import GamePage
from ci_envs.web.game_service import GameService
from ci_envs.web.game_states import UnavailableGameError
from ci_envs.web.invalid_value import invalid_value
from ci_envs.web.lobby import Lobby
from ci_envs.web.offers import Offers
from ci_envs.web.players import game_title, title_of
from ci_envs.web.puzzle_page import PuzzlePage, day_of, puzzle_list
from ci_envs.web.rules_page import rules_page
from ci_envs.web.seats import SEATS_COOKIE, tokens_in
from ci_envs.web.store import UnknownGameError

_YEAR = 365 * 24 * 3600
_DARK = {"True": True, "False": False}
_MAX_PAGE = 1_000_000  # of the list of games
_MOST_ACTIONS = 512  # of a game on a page. With more actions, the page has megabytes and takes seconds
_TIMEOUT = 120.0  # seconds to build a page: the first page of a game waits until its rules are compiled


def add_pages(app: FastAPI, secret: str) -> None:
    """Add the pages to an application. Call this only once in a process, because NiceGUI has one application.

    Args:
        app: An application of :func:`~ci_envs.web.app.create_app`.
        secret: The key that signs the cookies. With another key, browsers lose their list of games.
    """
    service, analyses = app.state.service, app.state.analyses
    evaluator = PositionEvaluator(analyses)
    offers = Offers(service.catalog, lambda spec, game: service.agents.check("", game, spec))

    @ui.page("/", title="ci_envs: play board games", response_timeout=_TIMEOUT)
    async def lobby(environment: str = "", position: str = "", page: int = 1) -> None:
        owner = pages.storage.browser["id"]
        with _frame():
            Lobby(service, offers, owner, environment=environment, position=position, page=max(1, min(page, _MAX_PAGE)))
            with ui.row().classes("panel"):
                ui.link("Daily puzzles", "/puzzles").classes("text-link")
                ui.link("Opening explorer", "/explorer").classes("text-link")

    @ui.page("/rules/{id}", title="Rules", response_timeout=_TIMEOUT)
    async def rules(id: str) -> Response | None:
        try:
            game, _ = await asyncio.to_thread(service.catalog.game, id)
        except ValueError as error:
            return not_found(str(error))
        ui.page_title(f"Rules of {game_title(id)}")
        with _frame():
            rules_page(id, game)
        return None

    @ui.page("/game/{id}", title="Game", response_timeout=_TIMEOUT)
    async def game(id: str) -> Response | None:
        try:
            hosted = await asyncio.to_thread(service.resume, id)
        except UnknownGameError as error:
            return not_found(str(error))
        except UnavailableGameError as error:
            return error_page("This game is not available", str(error), 409)
        if hosted.game.action_count > _MOST_ACTIONS:
            return error_page(
                "This game is too large for a page",
                f"A page shows games with at most {_MOST_ACTIONS} actions. This game has {hosted.game.action_count:,}. "
                f"Use the REST API: GET /api/games/{id}.",
                422,
            )
        ui.page_title(title_of(hosted.record))
        with _frame():
            cookie = ui.context.client.request.cookies.get(SEATS_COOKIE, "")
            GamePage(service, analyses, evaluator, hosted, (pages.storage.browser["id"], *tokens_in(cookie)))
        return None

    @pages.exception_handler(404)
    async def unknown(request: Request, error: Exception) -> Response:
        """Answer a request for a page that does not exist. Files of the pages that do not exist have no page either."""
        return not_found(f"There is no page {request.url.path[:100]}.")

    @pages.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        """Answer a request for a page with an invalid value in its address."""
        first = error.errors()[0]
        return error_page("Invalid address", invalid_value(first, first["loc"][1:]), 422)

    _add_study_pages(service, analyses)
    pages.config.socket_io_js_transports = ["websocket"]
    ui.run_with(
        app,
        title="ci_envs",
        dark=None,
        language="en-US",
        storage_secret=secret,
        session_middleware_kwargs={"max_age": _YEAR},
        show_welcome_message=False,
        tailwind=False,
    )


def _add_study_pages(service: GameService, analyses: AnalysisService) -> None:
    """Add the opening explorer and the puzzles."""
    puzzles = DailyPuzzles(service)

    @ui.page("/explorer", title="Opening explorer", response_timeout=_TIMEOUT)
    async def explorers() -> None:
        with _frame():
            explorer_list([entry.name for entry in service.catalog.environments()])

    @ui.page("/explorer/{id}", title="Opening explorer", response_timeout=_TIMEOUT)
    async def explorer(id: str, moves: str = "") -> Response | None:
        try:
            found = await asyncio.to_thread(explore, service, analyses, id, moves.split())
        except ValueError as error:
            return not_found(str(error))
        if found.position.game.action_count > _MOST_ACTIONS:
            return error_page("This game is too large for a page", f"Allowed: at most {_MOST_ACTIONS} actions.", 422)
        with _frame():
            explorer_page(id, found)
        return None

    @ui.page("/puzzles", title="Puzzles", response_timeout=_TIMEOUT)
    async def all_puzzles() -> None:
        names = await asyncio.to_thread(puzzles.environments)
        with _frame():
            puzzle_list(names)

    @ui.page("/puzzles/{id}", title="Puzzle", response_timeout=_TIMEOUT)
    async def puzzle(id: str, day: str = "") -> Response | None:
        try:
            chosen = day_of(day)
            found = await asyncio.to_thread(puzzles.of, id, chosen)
        except ValueError as error:
            return not_found(str(error))
        except AgentError as error:
            return error_page("The server is busy", str(error), 503)
        with _frame():
            PuzzlePage(id, chosen, found)
        return None


def not_found(message: str) -> Response:
    """Return a page with the status 404, a message and a link to the first page."""
    return error_page("Not found", message, 404)


def error_page(title: str, message: str, status: int) -> Response:
    """Return a page with a title, a message and a link to the first page."""
    return HTMLResponse(
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title>"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        "<style>body { font-family: sans-serif; margin: 2rem; overflow-wrap: anywhere; }"
        "a { color: #0b5a9d; line-height: 44px; }"
        "@media (prefers-color-scheme: dark) { body { background: #121212; color: #ffffff; } a { color: #8cc8ff; } }"
        f"</style></head><body><main><h1>{html.escape(title)}</h1><p>{html.escape(message)}</p>"
        '<p><a href="/">Go to the first page</a></p></main></body></html>',
        status,
    )


def _frame() -> ui.element:
    """Add the style and the header of a page, and return the element for its content."""
    ui.add_css(Path(__file__).with_name("page.css"))
    dark = ui.dark_mode(_DARK.get(ui.context.client.request.cookies.get("dark", "")))

    def choose(value: bool | None) -> None:
        dark.set_value(value)
        ui.run_javascript(f"document.cookie = 'dark={value}; path=/; max-age={_YEAR}; samesite=lax'")

    ui.colors(primary="#0b5a9d")
    with ui.element("header").classes("top"):
        ui.link("ci_envs", "/").classes("home")
        with ui.button_group().props("flat"):
            for icon, value, name in (
                ("brightness_auto", None, "as the system"),
                ("light_mode", False, "light"),
                ("dark_mode", True, "dark"),
            ):
                button = ui.button(icon=icon, on_click=partial(choose, value))
                button.props(f"flat dense aria-label='{name}'").tooltip(name)
    return ui.element("div").classes("content")
