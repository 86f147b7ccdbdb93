"""The clock of a game: each player has some time for all moves, and a player whose time is up loses.

The clock starts after the first move. It also runs while the server is stopped.
"""

import math
from typing import Any

from ci_envs.web.hosted_game import HostedGame


def used_seconds(hosted: HostedGame, now: float) -> tuple[float, float]:
    """Return the seconds that each player has used, of at most as many as the player has.

    Args:
        hosted: the game.
        now: the time, in seconds since 1970.
    """
    record = hosted.record
    used = list(record.used)
    if record.clock and record.turn_began and not hosted.ending:
        used[hosted.position.to_move] += max(0.0, now - record.turn_began)
    first, second = (min(seconds, record.clock) for seconds in used)
    return first, second


def clock_changes(hosted: HostedGame, now: float) -> dict[str, Any]:
    """Return what changes in the record of a game when the player to move changes; nothing without a clock.

    Args:
        hosted: the game before the change.
        now: the time, in seconds since 1970.
    """
    return {"used": used_seconds(hosted, now), "turn_began": now} if hosted.record.clock else {}


def is_time_up(hosted: HostedGame, now: float) -> bool:
    """Return whether the player to move has no time left, so that the game is lost.

    Args:
        hosted: the game.
        now: the time, in seconds since 1970.
    """
    if not hosted.record.clock or hosted.ending:
        return False
    return used_seconds(hosted, now)[hosted.position.to_move] >= hosted.record.clock


def seconds_left(hosted: HostedGame, now: float) -> tuple[float, float] | None:
    """Return the seconds that each player has left; None without a clock.

    Args:
        hosted: the game.
        now: the time, in seconds since 1970.
    """
    if not hosted.record.clock:
        return None
    first, second = (hosted.record.clock - used for used in used_seconds(hosted, now))
    return first, second


def clock_text(seconds: float) -> str:
    """Return a time as minutes and seconds: ``4:05``."""
    minutes, rest = divmod(math.ceil(seconds), 60)
    return f"{minutes}:{rest:02}"
