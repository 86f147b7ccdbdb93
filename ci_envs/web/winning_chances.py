"""Winning chances as text and as a bar."""

import html

from ci_envs.games.position import Position
from ci_envs.web.evaluation import Evaluation
from ci_envs.web.players import plies_text


def chances_bar(first: float, position: Position) -> str:
    """Return the winning chances of both players as a bar of two colours in HTML.

    Args:
        first: The winning chances of player 0, from 0 to 1.
        position: A position of the game.
    """
    label = html.escape(f"{position.game.player_name(0)}: {first:.0%} to win")
    return f'<div class="bar" role="img" aria-label="{label}"><div style="width: {100 * first:.1f}%"></div></div>'


def chances_text(evaluation: Evaluation, position: Position) -> str:
    """Return the winning chances in a position and their source as text.

    Args:
        evaluation: The evaluation of the position.
        position: The position.
    """
    first, second = map(position.game.player_name, range(2))
    if not evaluation.exact:
        return f"{first}: {evaluation.chance:.0%} to win (estimated by {evaluation.source})"
    if position.result is not None:
        return "The game is over."
    if evaluation.chance == 0.5:
        return "Draw with best play (exact)"
    distance = "" if evaluation.plies is None else f" in {plies_text(evaluation.plies)}"
    return f"{first if evaluation.chance == 1 else second} wins{distance} with best play (exact)"
