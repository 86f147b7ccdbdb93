"""The error that a check of a game raises."""

from ci_envs.games.position import Position


class InvalidGameError(ValueError, AssertionError):
    """A game breaks the contract of games. The message is one line with the game, the error and the expected value."""


def place(position: Position) -> str:
    """Return the words of a position for a message. The text of the position may be wrong, so it is not used."""
    return f"(own={position.own:#x}, opp={position.opp:#x}, to_move={position.to_move})"
