"""The clock of a game: each player has some time for all moves, and a player whose time is up loses.

The clock starts after the first move. It also runs while the server is stopped.
"""

import math
from typing import Any

from ci_envs.web.table import Table


def used_seconds(table: Table, now: float) -> tuple[float, float]:
    """Return the seconds that each player has used, of at most as many as the player has.

    Args:
        table: the game.
        now: the time, in seconds since 1970.
    """
    record = table.record
    used = list(record.used)
    if record.clock and record.turn_began and not table.ending:
        used[table.position.to_move] += max(0.0, now - record.turn_began)
    first, second = (min(seconds, record.clock) for seconds in used)
    return first, second


def clock_changes(table: Table, now: float) -> dict[str, Any]:
    """Return what changes in the record of a game when the player to move changes; nothing without a clock.

    Args:
        table: the game before the change.
        now: the time, in seconds since 1970.
    """
    return {"used": used_seconds(table, now), "turn_began": now} if table.record.clock else {}


def is_time_up(table: Table, now: float) -> bool:
    """Return whether the player to move has no time left, so that the game is lost.

    Args:
        table: the game.
        now: the time, in seconds since 1970.
    """
    if not table.record.clock or table.ending:
        return False
    return used_seconds(table, now)[table.position.to_move] >= table.record.clock


def seconds_left(table: Table, now: float) -> tuple[float, float] | None:
    """Return the seconds that each player has left; None without a clock.

    Args:
        table: the game.
        now: the time, in seconds since 1970.
    """
    if not table.record.clock:
        return None
    first, second = (table.record.clock - used for used in used_seconds(table, now))
    return first, second


def clock_text(seconds: float) -> str:
    """Return a time as minutes and seconds: ``4:05``."""
    minutes, rest = divmod(math.ceil(seconds), 60)
    return f"{minutes}:{rest:02}"
