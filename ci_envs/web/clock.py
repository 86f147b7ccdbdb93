"""The clock of a game: each player has a total time for all moves, and a player without time left loses.

The clock starts after the first move. It also runs while the server is stopped. An increment is added after each turn
of a player.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ci_envs.games.position import Position
from ci_envs.web.hosted_game import HostedGame


@dataclass(frozen=True)
class Clock:
    """The time of each player of a new game.

    Attributes:
        seconds: The seconds for all moves. 0 means no clock.
        increment: The seconds that a player gets after each turn.
    """

    seconds: float = 0.0
    increment: float = 0.0


def used_seconds(hosted: HostedGame, now: float) -> tuple[float, float]:
    """Return the seconds that players 0 and 1 have used, at most the time of the clock.

    Args:
        hosted: The game.
        now: The time in seconds since 1970.
    """
    record = hosted.record
    used = list(record.used)
    if record.clock and record.turn_began and not hosted.ending:
        used[hosted.position.to_move] += max(0.0, now - record.turn_began)
    first, second = (min(seconds, record.clock) for seconds in used)
    return first, second


def clock_changes(hosted: HostedGame, now: float, after: Position | None = None) -> dict[str, Any]:
    """Return the changes of the record of a game when a move is played or taken back, or the game ends.

    Empty without a clock.

    Args:
        hosted: The game before the change.
        now: The time in seconds since 1970.
        after: The position after a move, or None without a move. The increment is for a turn that has ended.
    """
    if not hosted.record.clock:
        return {}
    used, mover = list(used_seconds(hosted, now)), hosted.position.to_move
    if after is not None and after.to_move != mover and hosted.record.turn_began:
        used[mover] -= hosted.record.increment
    return {"used": tuple(used), "turn_began": now}


def clock_after_takeback(hosted: HostedGame, now: float, actions: Sequence[int]) -> dict[str, Any]:
    """Return the changes of the record if only some actions are left. Without any, the clock has not started.

    The other arguments are those of :func:`clock_changes`.
    """
    changes = clock_changes(hosted, now)
    return changes if actions or not changes else {**changes, "turn_began": 0.0}


def is_time_up(hosted: HostedGame, now: float) -> bool:
    """Return whether the player to move has no time left and so loses.

    Args:
        hosted: The game.
        now: The time in seconds since 1970.
    """
    if not hosted.record.clock or hosted.ending:
        return False
    return used_seconds(hosted, now)[hosted.position.to_move] >= hosted.record.clock


def seconds_left(hosted: HostedGame, now: float) -> tuple[float, float] | None:
    """Return the seconds that players 0 and 1 have left, or None without a clock.

    Args:
        hosted: The game.
        now: The time in seconds since 1970.
    """
    if not hosted.record.clock:
        return None
    first, second = (hosted.record.clock - used for used in used_seconds(hosted, now))
    return first, second


def clock_text(seconds: float) -> str:
    """Return a time in minutes and seconds, for example ``4:05``."""
    minutes, rest = divmod(math.ceil(seconds), 60)
    return f"{minutes}:{rest:02}"
