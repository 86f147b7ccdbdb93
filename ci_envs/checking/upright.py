"""The check that texts and pictures show the board in the same place for both players."""

from collections.abc import Callable
from difflib import SequenceMatcher

import numpy as np

from ci_envs.checking.error import InvalidGameError, place
from ci_envs.checking.views import has_two_colours, other_words, planes_of
from ci_envs.games.position import Position

_MAX_POSITIONS = 20
_FEWEST = 3


def check_upright(positions: list[Position]) -> None:
    """Compare what is shown of a position with what is shown of the same board if the other player is to move.

    Both show the board in the view of player 0, so they differ at most in small things such as marks of legal actions.

    Raises:
        InvalidGameError: Whatever the position, as many parts differ as cells that ``other_view`` changes.
    """
    game = positions[0].game
    if game.swaps_words or not has_two_colours(game):
        return
    turned = [(position, cells) for position in positions if (cells := _cells_that_move(position))][:_MAX_POSITIONS]
    shows: dict[str, Callable[[Position], list[str]]] = {
        "diagram": lambda position: list(game.diagram(position.own, position.opp, position.to_move)),
        "draw": lambda position: game.draw(position.own, position.opp, position.to_move).svg().split("<"),
    }
    for name, show in shows.items():
        if len(turned) >= _FEWEST and all(_differences(show, position) >= cells for position, cells in turned):
            raise InvalidGameError(
                f"{name} shows the board turned if player 1 is to move, for example at {place(turned[0][0])}: show the"
                " words that seen_by_first returns, the view of player 0"
            )


def _cells_that_move(position: Position) -> int:
    """Return the number of cells that look different to the other player."""
    mine, theirs = planes_of(position.game, np.array([[position.own, position.opp], other_words(position)], np.uint64))
    return int((mine != theirs[..., ::-1]).any(axis=2).sum())


def _differences(show: Callable[[Position], list[str]], position: Position) -> int:
    """Return the number of parts that differ if the other player is to move."""
    parts, others = show(position), show(Position(position.game, *other_words(position), 1 - position.to_move))
    changes = SequenceMatcher(None, parts, others, autojunk=False).get_opcodes()
    return sum(max(end - start, last - first) for tag, start, end, first, last in changes if tag != "equal")
