"""Games in a file of SQLite: every change is on the disk before it is answered."""

import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError


@dataclass(frozen=True)
class GameRecord:
    """A game as it is stored.

    Attributes:
        id: which nobody can guess, 22 letters, digits, ``-`` and ``_``.
        environment: an id with parameters.
        seats: who plays, ``human`` or the spec string of an agent, of player 0 and of player 1.
        seed: of the agents' random numbers.
        start: the position it began with, as text.
        owner: whose list it is in; empty if in nobody's.
        created: seconds since 1970.
        actions: played so far.
        resigned: the player who gave up.
        over: whether it is.
        version: how often it was changed.
    """

    id: str
    environment: str
    seats: tuple[str, str]
    seed: int
    start: str
    owner: str
    created: float
    actions: tuple[int, ...] = ()
    resigned: int | None = None
    over: bool = False
    version: int = 0


class UnknownGameError(Exception):
    """There is no such game."""


class ConflictError(Exception):
    """Somebody else has changed the game."""


_CONNECTIONS = 48  # more than the threads that Starlette answers in, and those of the agents

_GAMES = sa.Table(
    "games",
    sa.MetaData(),
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("environment", sa.String, nullable=False),
    sa.Column("seats", sa.JSON, nullable=False),
    sa.Column("seed", sa.Integer, nullable=False),
    sa.Column("start", sa.String, nullable=False),
    sa.Column("owner", sa.String, nullable=False),
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("actions", sa.JSON, nullable=False),
    sa.Column("resigned", sa.Integer),
    sa.Column("over", sa.Boolean, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Index("by_owner", "owner", "created"),
    sa.Index("by_end", "over", "created"),
)


class Store:
    """The games of a server."""

    def __init__(self, path: str | Path) -> None:
        """Open the file, which is made if need be, as is its folder.

        Raises:
            OSError: it cannot be made, or is no such file.
        """
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        self._engine = sa.create_engine(f"sqlite:///{path}", connect_args={"timeout": 30}, pool_size=_CONNECTIONS)
        self._writing = threading.Lock()  # who waits for SQLite's own lock sleeps, and long
        sa.event.listen(self._engine, "connect", _prepare)
        try:
            _GAMES.metadata.create_all(self._engine)
            self.owned("", 0)  # a table of another making has other columns
        except SQLAlchemyError as error:
            raise OSError(f"games cannot be kept in {str(path)!r}: {_reason(error)}") from None

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()

    def add(
        self, environment: str, seats: tuple[str, str], seed: int, start: str, owner: str, over: bool
    ) -> GameRecord:
        """Begin a game."""
        record = GameRecord(secrets.token_urlsafe(16), environment, seats, seed, start, owner, time.time(), over=over)
        with self._writing, self._engine.begin() as connection:
            connection.execute(_GAMES.insert(), vars(record))
        return record

    def get(self, id: str) -> GameRecord:
        """The game of an id.

        Raises:
            UnknownGameError: there is none.
        """
        return _record(self._row(_GAMES.select(), id))

    def version(self, id: str) -> int:
        """How often a game was changed.

        Raises:
            UnknownGameError: there is none.
        """
        version: int = self._row(sa.select(_GAMES.c.version), id)["version"]
        return version

    def change(self, record: GameRecord, **changes: Any) -> GameRecord:
        """Change a game that is as it is in ``record``, and return what it is then.

        Raises:
            UnknownGameError: there is no such game.
            ConflictError: it was changed in the meantime.
        """
        changes["version"] = record.version + 1
        here = _GAMES.c.id == record.id, _GAMES.c.version == record.version
        with self._writing, self._engine.begin() as connection:
            changed = connection.execute(_GAMES.update().where(*here).values(changes)).rowcount
        if not changed:
            self.version(record.id)
            raise ConflictError(f"game {record.id} has gone on in the meantime")
        return replace(record, **changes)

    def owned(self, owner: str, limit: int) -> list[GameRecord]:
        """The games of an owner, the newest first."""
        query = _GAMES.select().where(_GAMES.c.owner == owner).order_by(_GAMES.c.created.desc()).limit(limit)
        with self._engine.connect() as connection:
            return list(map(_record, connection.execute(query).mappings()))

    def going_on(self, since: float) -> int:
        """How many games begun since then, in seconds since 1970, are not over."""
        query = sa.select(sa.func.count()).where(_GAMES.c.over.is_(False), _GAMES.c.created >= since)
        with self._engine.connect() as connection:
            return connection.scalar(query) or 0

    def _row(self, query: sa.Select[Any], id: str) -> Mapping[Any, Any]:
        """What a query of all games says of one."""
        with self._engine.connect() as connection:
            row = connection.execute(query.where(_GAMES.c.id == id)).mappings().first()
        if row is None:
            raise UnknownGameError(f"there is no game {id!r}")
        return row


def _record(row: Mapping[Any, Any]) -> GameRecord:
    first, second = row["seats"]
    return GameRecord(**{**row, "seats": (first, second), "actions": tuple(row["actions"])})


def _prepare(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # each statement is a transaction: no more than one makes up a change
    for pragma in ("journal_mode=WAL", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")


def _reason(error: SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or error).partition("\n")[0]
