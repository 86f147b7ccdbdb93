"""The seats of a game: a client with the token of a seat plays for this player, and other clients watch.

The client that creates a game receives the tokens of both seats, including the seat of an agent. A seat without a token
is free, and the first client that takes it receives a token. The store contains only a hash of each token.
"""

import re
from collections.abc import Collection
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe

from ci_envs.web.store import GameRecord

FREE = ""
"""The stored hash of a free seat."""


SEATS_COOKIE = "seats"
"""The name of the cookie with the tokens of a browser in one game."""

_SEPARATORS = re.compile(r"[\s,.]+")


class SeatError(Exception):
    """The error of a client that does not have the token of the seat."""


def new_token() -> str:
    """Return a new random token of 128 bits."""
    return token_urlsafe(16)


def hash_of(token: str) -> str:
    """Return the SHA-256 hash of a token for the store, or :data:`FREE` for an empty token."""
    return sha256(token.encode()).hexdigest() if token else FREE


def tokens_in(text: str) -> list[str]:
    """Return the tokens in a header or a cookie. Spaces, commas or full stops separate them."""
    return [token for token in _SEPARATORS.split(text) if token]


def holds(record: GameRecord, player: int, tokens: Collection[str]) -> bool:
    """Return whether one of the tokens belongs to the seat of a player, 0 or 1."""
    kept = record.tokens[player]
    return kept != FREE and any(compare_digest(kept, hash_of(token)) for token in tokens)


def held_seats(record: GameRecord, tokens: Collection[str]) -> list[int]:
    """Return the players, 0 and 1, whose seats the tokens belong to."""
    return [player for player in range(2) if holds(record, player, tokens)]


def holds_all(record: GameRecord, held: Collection[int]) -> bool:
    """Return whether a client that has the seats ``held`` has all seats that are taken, and at least one."""
    return bool(held) and all(player in held or record.tokens[player] == FREE for player in range(2))


def check_seat(record: GameRecord, player: int, tokens: Collection[str]) -> None:
    """Check that a client may play for a player.

    Raises:
        SeatError: No token belongs to the seat of the player.
    """
    if holds(record, player, tokens):
        return
    if record.tokens[player] == FREE:
        raise SeatError(f"The seat of player {player} is free. Take the seat, then play.")
    raise SeatError(f"You do not have the token of player {player}'s seat. You can only watch.")


def check_any_seat(record: GameRecord, tokens: Collection[str]) -> None:
    """Check that a client has a seat in a game.

    Raises:
        SeatError: No token belongs to a seat.
    """
    if not held_seats(record, tokens):
        raise SeatError("You have no token of a seat in this game. You can only watch.")


def check_all_seats(record: GameRecord, tokens: Collection[str]) -> None:
    """Check that a client has all seats that are taken.

    Raises:
        SeatError: No token belongs to a seat, or another client has taken a seat.
    """
    check_any_seat(record, tokens)
    for player, kept in enumerate(record.tokens):
        if kept != FREE:
            check_seat(record, player, tokens)
