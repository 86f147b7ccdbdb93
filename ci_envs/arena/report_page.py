"""A comparison as one HTML page without other files: ratings, results of all pairs, grades, faults and lost games."""

import math
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ci_envs.agent_interface.decision import NO_ACTION
from ci_envs.arena.report import agent_rows, notes
from ci_envs.arena.results import LostGame
from ci_envs.arena.tournament import Comparison
from ci_envs.games.game import Game
from ci_envs.games.position import Position

MOST_GAMES = 20
"""The largest number of lost games on a page."""

_PACKAGES = "ci-envs", "numpy", "numba"


@dataclass(frozen=True)
class _Frame:
    """A position of a game: what was played before it, and its picture."""

    caption: str
    picture: Markup


def report_page(comparison: Comparison) -> str:
    """Return the page as HTML. Names of agents, and their messages, are text: they cannot contain code.

    Examples:
        >>> from ci_envs.arena import compare
        >>> from ci_envs.arena.report_page import report_page
        >>> report_page(compare("TicTacToe-v0", ["random", "exact"], games=2))[:15]
        '<!doctype html>'
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters.update(percent=_percent, signed=_signed, milliseconds=_milliseconds)
    rows = sorted(agent_rows(comparison), key=lambda row: -row["elo"])
    labels = [row["agent"] for row in rows]
    elos = [row[name] for row in rows for name in ("elo_low", "elo_high")]
    games = list(_lost_games(comparison))
    return environment.get_template("report_page.html").render(
        comparison=comparison,
        rows=rows,
        labels=labels,
        scores=_scores(comparison),
        lowest=min(elos),
        span=max(max(elos) - min(elos), 1),
        is_graded=any(row["graded"] for row in rows),
        games=games[:MOST_GAMES],
        games_left=len(games) - len(games[:MOST_GAMES]),
        notes=notes(comparison),
        versions={"Python": platform.python_version(), **{name: version(name) for name in _PACKAGES}},
    )


def _scores(comparison: Comparison) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the score and the wins, draws and losses of each agent against each other one."""
    return {
        (label, other): {"score": side.total.score, "record": side.total}
        for pairing in comparison.pairings
        for label, other, side in zip(pairing.labels, pairing.labels[::-1], pairing.match.sides, strict=True)
    }


def _lost_games(comparison: Comparison) -> Iterator[dict[str, Any]]:
    """Yield a lost game of each agent against each other one: the first in each seat."""
    for pairing in comparison.pairings:
        for label, other, side in zip(pairing.labels, pairing.labels[::-1], pairing.match.sides, strict=True):
            for game in side.lost_games:
                players = (label, other) if game.moved_first else (other, label)
                yield {"loser": label, "players": players, "frames": list(_frames(comparison.game, game))}


def _frames(game: Game, lost: LostGame) -> Iterator[_Frame]:
    """Yield the positions of a game."""
    position = Position.from_words(game, *lost.opening)
    yield _Frame("Start", Markup(position.to_svg()))
    for ply, action in enumerate(lost.actions, start=1):
        if action not in position.legal_actions():
            fault = "no answer" if action == NO_ACTION else f"illegal action {action}"
            yield _Frame(f"{ply}. {fault}: the game is lost", Markup(position.to_svg()))
            return
        caption = f"{ply}. {position.action_name(action)}"
        position = position.play(action)
        yield _Frame(caption, Markup(position.to_svg()))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"  # noqa: RUF001 - a dash in a table


def _signed(number: float) -> str:
    return f"{number:+.0f}"


def _milliseconds(number: float | None) -> str:
    return "–" if number is None or math.isnan(number) else f"{number:.3g}"  # noqa: RUF001
