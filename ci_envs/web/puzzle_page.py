"""The pages of the daily puzzles: a list, and a board on which the user looks for the only winning move."""

from datetime import date, timedelta
from pathlib import Path
from urllib.parse import urlencode

from nicegui import ui

from ci_envs.web.board import Board
from ci_envs.web.board_view import BoardView
from ci_envs.web.daily_puzzles import FIRST_DAY
from ci_envs.web.players import game_title, plies_text
from ci_envs.web.puzzles import Puzzle
from ci_envs.web.text_element import text_element


def puzzle_list(environments: list[str]) -> None:
    """Show links to the puzzles of today in the current element."""
    text_element("h1", f"Puzzles of {date.today()}").classes("title")
    ui.label("Find the only move that keeps the win.").classes("note")
    with ui.element("ul"):
        for environment in environments:
            with ui.element("li"):
                ui.link(game_title(environment), f"/puzzles/{environment}").classes("text-link")


def day_of(text: str) -> date:
    """Return the day of the address of a page, which is today if the text is empty.

    Raises:
        ValueError: The text is not a date.
    """
    try:
        return date.fromisoformat(text) if text else date.today()
    except ValueError:
        raise ValueError(f"Invalid value for day: {text!r}. Allowed: a date such as {date.today()}") from None


class PuzzlePage:
    """A puzzle on a page."""

    def __init__(self, environment: str, day: date, puzzle: Puzzle) -> None:
        """Make the page in the current element."""
        ui.add_css(Path(__file__).with_name("study.css"))
        self._puzzle = puzzle
        position, player = puzzle.position, puzzle.position.game.player_name(puzzle.position.to_move)
        text_element("h1", f"{game_title(environment)}: puzzle of {day}").classes("title")
        ui.label(f"{player} to move. Find the only move that keeps the win.").classes("rules-text")
        with ui.element("div").classes("study-board"):
            self._board = Board(self._try)
        self._answer = ui.label().classes("puzzle-answer").props("role=status aria-live=polite")
        about = {"environment": environment, "position": position.to_text()}
        with ui.row():
            ui.link("Play on from this position", f"/?{urlencode(about)}").classes("text-link")
            if day > FIRST_DAY:
                before = f"/puzzles/{environment}?{urlencode({'day': str(day - timedelta(1))})}"
                ui.link("The puzzle of the day before", before).classes("text-link")
            ui.link("All puzzles", "/puzzles").classes("text-link")
        self._board.show(BoardView(position, playable=True))

    async def _try(self, action: int) -> None:
        position = self._puzzle.position
        name = position.action_name(action)
        if action == self._puzzle.solution:
            after, plies = position.play(action), self._puzzle.plies
            self._answer.set_text(f"Solved: {name} wins{'' if plies is None else f' in {plies_text(plies)}'}.")
            self._board.show(BoardView(after, last=action, blocked="The puzzle is solved."))
        else:
            self._answer.set_text(f"{name} gives the win away. Try again.")
            self._board.show(BoardView(position, playable=True))
            self._board.deselect()
