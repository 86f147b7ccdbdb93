"""A game and where it stands: whose turn it is, and what may be done."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from ci_envs.games.game import Game
from ci_envs.games.operations import WIN
from ci_envs.games.position import Position
from ci_envs.web.catalog import HUMAN
from ci_envs.web.store import GameRecord

Ending = Literal["rules", "resigned", "limit"]
"""Why a game is over: by its rules, because a player gave up, or because it is as long as it may be."""


class RefusedError(Exception):
    """What was asked for cannot be done in the game as it is now."""


@dataclass(frozen=True)
class Table:
    """A game and where it stands.

    Attributes:
        record: as it is stored.
        game: what is played.
        positions: from the first to the one that it stands at.
        limit: the ply after which it is drawn.
    """

    record: GameRecord
    game: Game
    positions: tuple[Position, ...]
    limit: int

    @property
    def position(self) -> Position:
        """The one that it stands at."""
        return self.positions[-1]

    @cached_property
    def ending(self) -> Ending | None:
        """Why it is over; None while it goes on."""
        if self.record.resigned is not None:
            return "resigned"
        if self.position.result is not None:
            return "rules"
        return "limit" if len(self.record.actions) >= self.limit else None

    @property
    def winner(self) -> int | None:
        """The player who has won; None in a draw and while it goes on."""
        if self.record.resigned is not None:
            return 1 - self.record.resigned
        if not self.position.result:
            return None
        return self.position.to_move if self.position.result == WIN else 1 - self.position.to_move

    @property
    def next_seat(self) -> str | None:
        """Who plays next, ``human`` or an agent; None once it is over."""
        return None if self.ending else self.record.seats[self.position.to_move]

    @property
    def is_for_agent(self) -> bool:
        """Whether an agent plays next."""
        return self.next_seat not in (None, HUMAN)

    @property
    def is_awaited(self) -> bool:
        """Whether an agent plays next and a person waits for it."""
        return self.is_for_agent and HUMAN in self.record.seats


def taken_back(table: Table) -> dict[str, Any]:
    """What is changed when the last turn of a person and what followed is taken back, or without persons a ply."""
    seats, actions = table.record.seats, table.record.actions
    turns = [n for n in range(len(actions)) if HUMAN not in seats or seats[table.positions[n].to_move] == HUMAN]
    if table.record.resigned is not None:
        turns.append(len(actions))
    if not turns:
        raise RefusedError("there is nothing to take back")
    return {"actions": actions[: turns[-1]], "over": False, "resigned": None}


def who_resigns(table: Table, player: int | None) -> int:
    """The person who gives up: ``player``, or by default the one to move, or else the only one."""
    if table.ending:
        raise RefusedError(f"the game is over ({table.ending})")
    mover = table.position.to_move
    people = [seat for seat in (mover, 1 - mover) if table.record.seats[seat] == HUMAN]
    who = people[0] if player is None and people else player
    if who is None or who not in people:
        raise RefusedError(f"player {player} is no person" if people else "no person plays in this game")
    return who
