"""The keyboard keys of actions in ``gymnasium.utils.play.play``."""

import re

from ci_envs.games.game import Game

_ROWS = ("1234567890", "qwertyuiop", "asdfghjkl;", "zxcvbnm,./")
_ORDER = "1234567890-=qwertyuiop[]asdfghjkl;'zxcvbnm,./"
_HALF = 6  # the column of the first key of the right hand


def keys_of_actions(game: Game, player: int = 0) -> dict[int, str]:
    """Return the key of each action of a player, on a US keyboard.

    If possible, the keys have the same layout as the actions on the board: row 1 is the row of the digits, row 2 begins
    at ``q``, row 3 at ``a``, row 4 at ``z``. The name of an action defines its place: a square (``b2``), a column
    (``b``), a heap and a number of objects (``2-3``), or a piece to give (``give7``). The pieces to give are on the
    right, in rows of four that begin at ``7``, ``u``, ``j`` and ``m``. If a name defines no place or the keyboard is
    too small, the actions have the keys in order, from the top left key to the bottom right one.

    Raises:
        ValueError: the game has more actions than there are keys.
    """
    names = [game.name_for(player, action) for action in range(game.action_count)]
    places = [_place(name) for name in names]
    found = [place for place in places if place is not None and place[0] < len(_ROWS) and place[1] < len(_ROWS[0])]
    if len(set(found)) == len(names):
        return {action: _ROWS[row][column] for action, (row, column) in enumerate(found)}
    if len(names) > len(_ORDER):
        raise ValueError(
            f"{game} has {len(names)} actions, but there are only {len(_ORDER)} keys: pass keys_to_action to play()"
        )
    return dict(enumerate(_ORDER[: len(names)]))


def _place(name: str) -> tuple[int, int] | None:
    """Return the row and the column of an action, both from 0, or None if its name does not define them."""
    if match := re.fullmatch(r"([a-z])([1-9]\d*)?", name):
        return int(match[2] or 1) - 1, ord(match[1]) - ord("a")
    if match := re.fullmatch(r"([1-9]\d*)-([1-9]\d*)", name):
        return int(match[1]) - 1, int(match[2]) - 1
    if match := re.fullmatch(r"give([0-9a-f])", name):
        row, column = divmod(int(match[1], 16), 4)
        return row, column + _HALF
    return None
