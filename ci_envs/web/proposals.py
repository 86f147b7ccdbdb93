"""Proposals between the people of a game: a draw, taking back a turn, and a rematch.

A proposal takes effect when all people with a seat agree. An agent agrees to take back a turn and to a rematch. A
person who has both seats needs nobody else.
"""

from collections.abc import Collection
from typing import Literal, NamedTuple

from ci_envs.web.catalog import HUMAN
from ci_envs.web.hosted_game import GameStateError, HostedGame, last_turn
from ci_envs.web.players import people_among
from ci_envs.web.seats import FREE, check_any_seat, check_seat, held_seats
from ci_envs.web.store import GameRecord

Kind = Literal["draw", "takeback", "rematch"]
"""What a person can propose."""


class Proposal(NamedTuple):
    """A proposal.

    Attributes:
        kind: What is proposed.
        player: The player, 0 or 1, who proposes it.
    """

    kind: Kind
    player: int


def open_proposal(hosted: HostedGame) -> Proposal | None:
    """Return the proposal that the other person can accept, or None."""
    if not hosted.record.proposal:
        return None
    proposal = Proposal(*hosted.record.proposal)  # type: ignore[arg-type]  # the store contains only such pairs
    return proposal if is_possible(hosted, proposal.kind, [proposal.player]) else None


def is_possible(hosted: HostedGame, kind: Kind, players: Collection[int]) -> bool:
    """Return whether one of some players can propose something in a state of a game."""
    try:
        check_possible(hosted, kind, players)
    except GameStateError:
        return False
    return True


def check_possible(hosted: HostedGame, kind: Kind, players: Collection[int]) -> None:
    """Check that one of some players can propose something in a state of a game.

    Raises:
        GameStateError: The proposal is impossible.
    """
    if kind == "takeback":
        last_turn(hosted, players)
    elif kind == "rematch":
        if not hosted.ending:
            raise GameStateError("the game is in progress; a rematch begins after its end")
    elif hosted.ending:
        raise GameStateError(f"the game is over ({hosted.ending})")
    elif hosted.record.seats != (HUMAN, HUMAN):
        raise GameStateError("an agent does not agree to a draw")


def proposers(record: GameRecord, tokens: Collection[str]) -> list[int]:
    """Return the players whose proposals a client can make: its persons, or both players if no person plays.

    Raises:
        SeatError: The client has no seat, or only that of an agent in a game with a person.
    """
    check_any_seat(record, tokens)
    people = _people(record)
    if not people:
        return [0, 1]
    own = people_among(record, held_seats(record, tokens))
    if not own:
        check_seat(record, people[0], tokens)
    return own


def is_agreed(record: GameRecord, kind: Kind, players: Collection[int]) -> bool:
    """Return whether everybody agrees to a proposal of some players, with an earlier proposal of the same kind."""
    agreeing = {*players, *_proposed_by(record, kind)}
    return agreeing.issuperset(_people(record))


def whose_turn_is_taken_back(record: GameRecord, players: Collection[int]) -> Collection[int]:
    """Return the players whose last turn is taken back: the player of the first proposal, or all of some players."""
    return _proposed_by(record, "takeback") or players


def after_move(record: GameRecord, player: int) -> tuple[str, int] | tuple[()]:
    """Return the proposal that stays open when a player moves: the player's own offer of a draw."""
    return record.proposal if record.proposal == ("draw", player) else ()


def _proposed_by(record: GameRecord, kind: Kind) -> list[int]:
    return [record.proposal[1]] if record.proposal and record.proposal[0] == kind else []


def _people(record: GameRecord) -> list[int]:
    """Return the players whose seats people have taken."""
    return [player for player in people_among(record, range(2)) if record.tokens[player] != FREE]
