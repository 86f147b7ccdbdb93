"""The state of a game as its page shows it, and whether an agent thinks about this state."""

from collections.abc import Collection
from dataclasses import dataclass

from ci_envs.web.players import player_label, result_text
from ci_envs.web.room import Room
from ci_envs.web.table import Table


@dataclass(frozen=True)
class Standing:
    """The state of a game at one moment.

    Attributes:
        table: the game.
        thinking: whether an agent thinks about the move to play next.
        trouble: why the agent to move could not play, or None.
    """

    table: Table
    thinking: bool
    trouble: str | None


def standing_of(room: Room, id: str) -> Standing:
    """Return where a game stands.

    Args:
        room: where games are played.
        id: of the game.

    Raises:
        UnknownGameError: there is no such game.
    """
    thinking = room.is_thinking(id)  # before the game is read: what an agent plays after that is seen the next time
    table, trouble = room.on_time(id), room.trouble(id)
    waits = table.is_for_agent and trouble is None
    return Standing(table, waits and (thinking or table.is_awaited), trouble if table.is_for_agent else None)


def status_text(standing: Standing, held: Collection[int]) -> str:
    """Return the status of a game in a line, for example ``X (you) to move``.

    Args:
        standing: the state of the game.
        held: the players whose seats the reader has.
    """
    table = standing.table
    if table.ending:
        return result_text(table, held)
    mover = player_label(table, table.position.to_move, held)
    if standing.thinking:
        return f"{mover} is thinking"
    return f"{mover} failed: {standing.trouble}" if standing.trouble else f"{mover} to move"
