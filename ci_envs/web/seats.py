"""The right to play: a client with the token of a seat plays for this player, and every other client watches.

The client that creates a game gets the tokens of both seats, also of a seat in which an agent plays. A seat without a
token is free; the first client that takes it gets a token. The store keeps only a hash of each token.
"""

import re
from collections.abc import Collection
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe

from ci_envs.web.store import GameRecord

FREE = ""
"""The hash of a seat that nobody has taken."""


SEATS_COOKIE = "seats"
"""The cookie with the tokens of a browser in one game."""

_SEPARATORS = re.compile(r"[\s,.]+")


class SeatError(Exception):
    """The client does not have the token of the seat."""


def new_token() -> str:
    """Return a token that nobody can guess."""
    return token_urlsafe(16)


def hash_of(token: str) -> str:
    """Return what the store keeps of a token; an empty token leaves the seat free."""
    return sha256(token.encode()).hexdigest() if token else FREE


def tokens_in(text: str) -> list[str]:
    """Return the tokens in a header or a cookie, where spaces, commas or points separate them."""
    return [token for token in _SEPARATORS.split(text) if token]


def holds(record: GameRecord, player: int, tokens: Collection[str]) -> bool:
    """Return whether one of the tokens is that of a player's seat."""
    kept = record.tokens[player]
    return kept != FREE and any(compare_digest(kept, hash_of(token)) for token in tokens)


def held_seats(record: GameRecord, tokens: Collection[str]) -> list[int]:
    """Return the players whose seats have one of these tokens."""
    return [player for player in range(2) if holds(record, player, tokens)]


def check_seat(record: GameRecord, player: int, tokens: Collection[str]) -> None:
    """Check that a client may play a seat.

    Raises:
        SeatError: none of the tokens is that of the seat.
    """
    if holds(record, player, tokens):
        return
    if record.tokens[player] == FREE:
        raise SeatError(f"The seat of player {player} is free. Take it, then play.")
    raise SeatError(f"You do not have the token of player {player}'s seat. You can only watch.")


def check_any_seat(record: GameRecord, tokens: Collection[str]) -> None:
    """Check that a client plays in a game.

    Raises:
        SeatError: none of the tokens is that of a seat.
    """
    if not held_seats(record, tokens):
        raise SeatError("You have no token of a seat in this game. You can only watch.")


def check_all_seats(record: GameRecord, tokens: Collection[str]) -> None:
    """Check that nobody else plays in a game.

    Raises:
        SeatError: none of the tokens is that of a seat, or another client has taken a seat.
    """
    check_any_seat(record, tokens)
    for player, kept in enumerate(record.tokens):
        if kept != FREE:
            check_seat(record, player, tokens)
