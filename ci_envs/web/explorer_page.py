"""The pages of the opening explorer: a list of games, and a board with a table of moves."""

import html
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, urlencode

from nicegui import ui

from ci_envs.web.board import Board
from ci_envs.web.board_view import BoardView
from ci_envs.web.explorer import Exploration, value_text
from ci_envs.web.players import game_title
from ci_envs.web.text_element import text_element


def explorer_list(environments: Sequence[str]) -> None:
    """Show links to the games in the current element."""
    text_element("h1", "Opening explorer").classes("title")
    with ui.element("ul"):
        for environment in environments:
            with ui.element("li"):
                ui.link(game_title(environment), _address(environment, ())).classes("text-link")


def explorer_page(environment: str, found: Exploration) -> None:
    """Show a position with its moves in the current element. A move is a link, and can be played on the board."""
    ui.add_css(Path(__file__).with_name("study.css"))
    text_element("h1", f"Opening explorer: {game_title(environment)}").classes("title")

    async def play(action: int) -> None:
        ui.navigate.to(_address(environment, (*found.names, found.position.action_name(action))))

    ui.html(_path(environment, found.names), sanitize=False, tag="nav").props('aria-label="Moves to this position"')
    with ui.element("div").classes("study"):
        with ui.element("div").classes("study-board"):
            Board(play).show(BoardView(found.position, last=found.last, playable=bool(found.moves)))
        with ui.element("div").classes("study-moves"):
            ui.html(_table(environment, found), sanitize=False, tag="table").classes("explorer")
            ui.label(_note(found)).classes("note")


def _note(found: Exploration) -> str:
    if not found.moves:
        return "The game is over."
    if any(move.exact for move in found.moves):
        return "The values are for the player to move. The numbers are moves to the end of the game."
    return "No exact values: solving this position would take more than 3 s."


def _table(environment: str, found: Exploration) -> str:
    rows = (
        f"<tr><td>{_link(environment, (*found.names, move.name), move.name)}</td>"
        f"<td>{value_text(move.exact)}</td><td>{move.games}</td></tr>"
        for move in found.moves
    )
    head = '<th scope="col">Move</th><th scope="col">Exact value</th><th scope="col">Games on this server</th>'
    return f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"


def _path(environment: str, names: Sequence[str]) -> str:
    """Return links to the start and to the position after each move."""
    links = [_link(environment, (), "Start")]
    links += [_link(environment, names[:ply], f"{ply}. {names[ply - 1]}") for ply in range(1, len(names) + 1)]
    return " ".join(links)


def _link(environment: str, names: Sequence[str], text: str) -> str:
    address = html.escape(_address(environment, names), quote=True)
    return f'<a class="text-link" href="{address}">{html.escape(text)}</a>'


def _address(environment: str, names: Sequence[str]) -> str:
    query = f"?{urlencode({'moves': ' '.join(names)})}" if names else ""
    return f"/explorer/{quote(environment)}{query}"
