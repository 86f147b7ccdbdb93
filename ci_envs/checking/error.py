"""The error that a check of a game raises."""

from ci_envs.games.position import Position


class InvalidGameError(ValueError, AssertionError):
    """A game breaks the contract of games. The message is one line: the game, what is wrong and what is expected."""


def place(position: Position) -> str:
    """Return the words of a position for a message, because the text of the position may be what is wrong."""
    return f"(own={position.own:#x}, opp={position.opp:#x}, to_move={position.to_move})"
