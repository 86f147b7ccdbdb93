"""A game on the server: its record, its positions, its result, and the effects of undo and resignation."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from ci_envs.games.game import Game
from ci_envs.games.operations import WIN
from ci_envs.games.position import Position
from ci_envs.web.catalog import HUMAN
from ci_envs.web.store import GameRecord

Ending = Literal["rules", "resigned", "agreement", "time", "limit"]
"""Why a game is over: by its rules, by resignation, as an agreed draw, on time, or at the limit of moves."""


class GameStateError(Exception):
    """The error of a request that is impossible in the current state of the game."""


@dataclass(frozen=True)
class HostedGame:
    """A game on the server at one moment.

    Attributes:
        record: The record in the store.
        game: The rules and the board.
        positions: The positions from the first to the current one.
        limit: The ply after which an undecided game is a draw.
    """

    record: GameRecord
    game: Game
    positions: tuple[Position, ...]
    limit: int

    @property
    def position(self) -> Position:
        """The current position."""
        return self.positions[-1]

    @cached_property
    def ending(self) -> Ending | None:
        """The reason for the end of the game, or None while the game is in progress."""
        if self.record.resigned is not None:
            return "time" if self._has_no_time(self.record.resigned) else "resigned"
        if self.record.agreed:
            return "agreement"
        if self.position.result is not None:
            return "rules"
        return "limit" if len(self.record.actions) >= self.limit else None

    def _has_no_time(self, player: int) -> bool:
        return bool(self.record.clock) and self.record.used[player] >= self.record.clock

    @property
    def winner(self) -> int | None:
        """The player who has won, 0 or 1, or None in a draw and while the game is in progress."""
        if self.record.resigned is not None:
            return 1 - self.record.resigned
        if not self.position.result:
            return None
        return self.position.to_move if self.position.result == WIN else 1 - self.position.to_move

    @property
    def next_seat(self) -> str | None:
        """The player to move, ``human`` or the spec string of an agent, or None if the game is over."""
        return None if self.ending else self.record.seats[self.position.to_move]

    @property
    def is_between_people(self) -> bool:
        """Whether two people play the game, and it is not over. Both may not get help.

        A game without a clock in which one browser has both seats does not count: its user tries moves.
        """
        first, second = self.record.tokens
        both = first == second and first != "" and not self.record.clock
        return self.record.seats == (HUMAN, HUMAN) and not both and not self.ending

    @property
    def is_for_agent(self) -> bool:
        """Whether an agent is to move."""
        return self.next_seat not in (None, HUMAN)

    @property
    def is_awaited(self) -> bool:
        """Whether an agent is to move and the other player is a person."""
        return self.is_for_agent and HUMAN in self.record.seats


@dataclass(frozen=True)
class History:
    """The part of a game that was played before the server stores it, as in an exported game.

    Attributes:
        actions: The names of the actions.
        resigned: The player, 0 or 1, who resigned or has no time left, or None.
        agreed: Whether the players agreed to a draw.
        used: The seconds that players 0 and 1 used.
        result: The reason for the end and the winner that the rest must agree with, or None.
    """

    actions: Sequence[str] = ()
    resigned: int | None = None
    agreed: bool = False
    used: tuple[float, float] = (0.0, 0.0)
    result: tuple[Ending | None, int | None] | None = None


def last_turn(hosted: HostedGame, players: Collection[int]) -> int:
    """Return the number of moves before the last turn of one of some players. A resignation and a draw are turns.

    Raises:
        GameStateError: None of the players has moved, or the game was lost on time.
    """
    if hosted.ending == "time":
        raise GameStateError("the game was lost on time, so no move can be taken back")
    actions = hosted.record.actions
    turns = [ply for ply in range(len(actions)) if hosted.positions[ply].to_move in players]
    if hosted.ending in ("resigned", "agreement"):
        turns.append(len(actions))
    if not turns:
        raise GameStateError("there is nothing to take back")
    return turns[-1]


def taken_back(hosted: HostedGame, players: Collection[int]) -> dict[str, Any]:
    """Return the changes of the record that take back the last turn of one of some players and all later turns."""
    actions, turn = hosted.record.actions, last_turn(hosted, players)
    undone = (*actions[turn:], *hosted.record.undone)
    return {"actions": actions[:turn], "over": False, "resigned": None, "agreed": False, "undone": undone}


def left_to_redo(record: GameRecord, action: int) -> tuple[int, ...]:
    """Return the actions that can be redone after an action.

    These are the actions after it if the action itself was the next one to redo. Otherwise the result is empty.
    """
    return record.undone[1:] if record.undone[:1] == (action,) else ()


def who_resigns(hosted: HostedGame, player: int | None, held: Collection[int]) -> int:
    """Return the person who resigns.

    Args:
        hosted: The game.
        player: The player, 0 or 1, or None for a person whose seat the client has, first the player to move.
        held: The players whose seats the client has.

    Raises:
        GameStateError: The game is over, or ``player`` is not a person.
    """
    if hosted.ending:
        raise GameStateError(f"the game is over ({hosted.ending})")
    mover = hosted.position.to_move
    people = [seat for seat in (mover, 1 - mover) if hosted.record.seats[seat] == HUMAN]
    people.sort(key=lambda seat: seat not in held)
    who = people[0] if player is None and people else player
    if who is None or who not in people:
        raise GameStateError(f"player {player} is an agent" if people else "no person plays in this game")
    return who
