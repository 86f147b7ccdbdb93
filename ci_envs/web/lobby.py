"""The first page: buttons that start a game with one click, a form for other games, and the games of the user."""

import json
import secrets
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

from nicegui import ui
from pydantic import ValidationError

from ci_envs.storage.json_text import parse_json
from ci_envs.web.body_limit import MAX_BODY
from ci_envs.web.catalog import HUMAN
from ci_envs.web.confirmation import ask_to_delete
from ci_envs.web.game_service import GameService
from ci_envs.web.game_states import UnavailableGameError
from ci_envs.web.hosted_game import HostedGame
from ci_envs.web.levels import LEVELS, agents_of_level
from ci_envs.web.new_game_form import NewGameForm
from ci_envs.web.offers import Offers
from ci_envs.web.players import game_title, plies_text, result_text, title_of
from ci_envs.web.rules_page import example_pictures
from ci_envs.web.schemas import Export, NewGame
from ci_envs.web.seats import held_seats, holds_all
from ci_envs.web.store import GameRecord
from ci_envs.web.text_element import text_element
from ci_envs.web.user_errors import error_text, run_or_notify

_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
_LONGEST_IMPORT = MAX_BODY // 4  # characters; a character can have four bytes
_SIDES = {0: "First", None: "Random", 1: "Second"}

GAMES_PER_PAGE = 20
"""The number of games on a page of the list of games."""


class Lobby:
    """The first page."""

    def __init__(
        self, service: GameService, offers: Offers, owner: str, *, environment: str, position: str, page: int
    ) -> None:
        """Make the page in the current element.

        Args:
            service: The games of the server.
            offers: The offers of agents.
            owner: The visitor whose list shows the new games.
            environment: The environment of the form, an id with parameters. Empty leaves the form closed.
            position: The start position of the form, as text, or empty.
            page: The page of the list of games, from 1.
        """
        self._service = service
        self._mine: dict[str, Any] = {"owner": owner, "tokens": (owner, owner)}  # the browser has both seats
        self._starting = False
        with ui.element("div").classes("side-choice"):
            text_element("h1", "Play a board game").classes("title")
            with ui.row().classes("items-center"):
                ui.label("You play").props("id=side")
                self._side = ui.toggle(_SIDES, value=0).props("no-caps dense padding='4px 12px' aria-labelledby=side")
        with ui.element("section").classes("cards").props('aria-label="New game with one click"'):
            for entry in service.catalog.environments():
                self._card(entry.name)
        with ui.expansion("Choose the board, the players and their options", value=bool(environment)) as expansion:
            form = ui.element("div").classes("full-width")
        make = partial(NewGameForm, service.catalog.environments(), offers, environment, position, self._begin_new)
        expansion.classes("full-width panel").on_value_change(lambda event: _open(form, make) if event.value else None)
        with ui.expansion("Import a game").classes("full-width panel"):
            self._exported = ui.textarea("Exported game (the content of its JSON file)").classes("full-width")
            self._exported.props(f"counter maxlength={_LONGEST_IMPORT}")
            ui.button("Import", icon="upload", on_click=self._import).props("no-caps")
        if environment:
            _open(form, make)
            ui.run_javascript(f"document.getElementById('{expansion.html_id}').scrollIntoView()")
        _list(service, owner, page)

    def _card(self, id: str) -> None:
        game, _ = self._service.catalog.game(id)
        with ui.element("article").classes("card"):
            with ui.element("div").classes("card-head"):
                text_element("h2", game_title(id)).classes("card-title")
                ui.link("Rules", f"/rules/{id}").classes("text-link").props(f'aria-label="Rules of {game_title(id)}"')
            ui.html(example_pictures(game)[0], sanitize=False).classes("thumbnail").props('aria-hidden="true"')
            with ui.element("div").classes("levels"):
                for level in LEVELS:
                    button = ui.button(level, on_click=partial(self._play, id, level)).props("no-caps")
                    button.props(f'aria-label="Play {game_title(id)} against a {level.lower()}"')

    async def _play(self, id: str, level: str) -> None:
        *others, last = agents_of_level(id, level)
        side = secrets.randbelow(2) if self._side.value is None else int(self._side.value)

        def create_against(agent: str) -> HostedGame:
            seats, names = ((HUMAN, agent), ("", level)) if side == 0 else ((agent, HUMAN), (level, ""))
            return self._service.create(id, seats, **self._mine, names=names)

        def create() -> HostedGame:
            for agent in others:
                try:
                    return create_against(agent)
                except ImportError:  # the package of this agent is not installed
                    continue
            return create_against(last)

        await self._begin(create)

    async def _begin_new(self, new: NewGame) -> None:
        await self._begin(partial(new.create, self._service, **self._mine))

    async def _import(self) -> None:
        try:
            exported = exported_game(self._exported.value or "")
        except ValueError as error:
            ui.notify(str(error), type="warning")
            return
        await self._begin(partial(exported.create, self._service, **self._mine))

    async def _begin(self, create: Callable[[], HostedGame]) -> None:
        """Create a game and open its page. Further clicks have no effect."""
        if self._starting:
            return
        self._starting = True
        hosted = await run_or_notify(create)
        if hosted is None:
            self._starting = False
        else:
            ui.navigate.to(f"/game/{hosted.record.id}")


def exported_game(text: str) -> Export:
    """Return the exported game in a text.

    Raises:
        ValueError: The text is not an exported game. The message is a sentence for the user.
    """
    try:
        data = parse_json(text.removeprefix(_BYTE_ORDER_MARK))
    except ValueError as error:
        where = f" at line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ValueError(
            f"This text is not an exported game: it is not JSON{where}. "
            "Paste the content of a file of the menu Export, Game (JSON)."
        ) from None
    try:
        return Export.model_validate(data)
    except ValidationError as error:
        raise ValueError(f"This text is not an exported game: {error_text(error)}") from None


def _open(place: ui.element, make: Callable[[], NewGameForm]) -> None:
    """Make the form in its place when it is opened first. On every page it would double the time to build the page."""
    if not place.default_slot.children:
        with place:
            make().load()


def games_of(service: GameService, owner: str, page: int) -> tuple[list[tuple[GameRecord, HostedGame | None]], int]:
    """Return the games on a page, from 1, of the list of an owner, and the number of pages.

    A game whose environment is not available has only its record.
    """
    records = service.owned(owner, GAMES_PER_PAGE, GAMES_PER_PAGE * (page - 1))
    return [(record, _shown(service, record)) for record in records], -(-service.count(owner) // GAMES_PER_PAGE)


def _shown(service: GameService, record: GameRecord) -> HostedGame | None:
    with suppress(UnavailableGameError):
        return service.get(record.id)
    return None


def _list(service: GameService, owner: str, page: int) -> None:
    games, pages = games_of(service, owner, page)
    with ui.element("section").classes("panel my-games").props('aria-labelledby="my-games"'):
        text_element("h2", "My games").classes("panel-title").props("id=my-games")
        if not games:
            ui.label("You have no games yet.").classes("note")
        with ui.element("ul"):
            for record, hosted in games:
                _listed(service, owner, record, hosted)
        with ui.row():
            if page > 1:
                ui.link("Newer games", f"/?page={page - 1}").classes("text-link")
            if page < pages:
                ui.link("Older games", f"/?page={page + 1}").classes("text-link")


def _listed(service: GameService, owner: str, record: GameRecord, hosted: HostedGame | None) -> None:
    created = datetime.fromtimestamp(record.created).strftime("%Y-%m-%d %H:%M")
    with ui.element("li").classes("listed"):
        ui.link(title_of(record), f"/game/{record.id}").classes("text-link")
        held = held_seats(record, [owner])
        result = "Not available on this server" if hosted is None else result_text(hosted, held)
        ui.label(f"{result}. {plies_text(len(record.actions))}, {created}").classes("note")
        if hosted is None:
            button = ui.button("Delete", on_click=partial(ask_to_delete, service, record.id, (owner,)))
            button.props("flat dense no-caps").set_enabled(holds_all(record, held))
