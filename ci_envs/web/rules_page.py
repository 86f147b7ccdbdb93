"""The page of the rules of a game: a paragraph, and pictures before and after a move."""

from functools import lru_cache

from nicegui import ui

from ci_envs.drawing.annotation import Marks, annotated
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.guides import guide_of
from ci_envs.picture import arrow_of, marks_of
from ci_envs.web.players import game_title
from ci_envs.web.text_element import text_element


def rules_page(environment: str, game: Game) -> None:
    """Show the rules of a game in the current element, with a link to the form for a new game."""
    text_element("h1", f"The rules of {game_title(environment)}").classes("title")
    show_rules(game)
    ui.link("Play this game", f"/?environment={environment}").classes("text-link")


def show_rules(game: Game) -> None:
    """Show the paragraph and the pictures."""
    ui.label(guide_of(game).how_to_play()).classes("rules-text")
    before, after, action, result = example_pictures(game)
    with ui.row().classes("rules-pictures"):
        for picture, caption in ((before, f"Before the move {action}"), (after, f"After it: {result}")):
            with ui.element("figure"):
                ui.html(picture, sanitize=False).props('aria-hidden="true"')
                text_element("figcaption", caption).classes("note")


@lru_cache(maxsize=64)
def example_pictures(game: Game) -> tuple[str, str, str, str]:
    """Return the example of a game: the SVG before and after a move, the name of the move, and the result as text."""
    guide = guide_of(game)
    text, name = guide.example()
    before = Position.from_text(game, text)
    action = before.parse_action(name)
    after = before.play(action)
    best = guide.preview(before, action) if len(before.targets(action)) == 1 else before.targets(action)
    marks = Marks(best=best, best_arrow=arrow_of(before, action))
    result = f"{game.player_name(before.to_move)} wins" if after.result == -1 else after.diagram().splitlines()[-1]
    played = annotated(after.draw(), marks_of(after, last=action))
    return annotated(before.draw(), marks).svg(None), played.svg(None), name, result
