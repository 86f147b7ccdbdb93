"""The error that a check of a game raises."""

from ci_envs.games.operations import DRAW, LOSS, ONGOING, WIN
from ci_envs.games.position import Position


class InvalidGameError(ValueError, AssertionError):
    """A game breaks the contract of games. The message is one line with the game, the error and the expected value."""


_RESULTS = {None: "ONGOING", ONGOING: "ONGOING", WIN: "WIN", DRAW: "DRAW", LOSS: "LOSS"}


def result_name(result: int | None) -> str:
    """Return the name of a result of compiled code, or of a position, whose result is None while the game goes on."""
    return _RESULTS.get(result, str(result))


def place(position: Position) -> str:
    """Return the words of a position for a message. The text of the position may be wrong, so it is not used."""
    return f"(own={position.own:#x}, opp={position.opp:#x}, to_move={position.to_move})"
