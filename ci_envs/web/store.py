"""Games in a file of SQLite: every change is on the disk before it is answered."""

import os
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
        id: 22 letters, digits, ``-`` and ``_`` that nobody can guess.
        environment: an id with parameters.
        seats: the players 0 and 1, ``human`` or the spec string of an agent.
        seed: of the agents' random numbers.
        start: the position it began with, as text.
        owner: the visitor whose list contains the game; empty if there is none.
        created: seconds since 1970.
        actions: played so far.
        resigned: the player who resigned, or who has no time left.
        over: whether the game is over.
        version: how often it was changed.
        names: the names that the players gave themselves, of player 0 and of player 1; empty if none.
        undone: the actions that were taken back, the next one to redo first.
        client: the client that created it (:mod:`ci_envs.web.limits`); empty if unknown.
        tokens: the hashes of the seats' tokens, of player 0 and of player 1 (:mod:`ci_envs.web.seats`).
        clock: the seconds that each player has for all moves; 0 if there is no clock.
        used: the seconds that player 0 and player 1 used until ``turn_began``.
        turn_began: since when the player to move thinks, in seconds since 1970; 0 before the first move.
        changed: when it was changed last, in seconds since 1970; 0 if it was created by an earlier version.
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
    names: tuple[str, str] = ("", "")
    undone: tuple[int, ...] = ()
    client: str = ""
    changed: float = 0.0
    tokens: tuple[str, str] = ("", "")
    clock: float = 0.0
    used: tuple[float, float] = (0.0, 0.0)
    turn_began: float = 0.0


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
    sa.Column("names", sa.JSON, nullable=False, server_default='["", ""]'),
    sa.Column("undone", sa.JSON, nullable=False, server_default="[]"),
    sa.Column("client", sa.String, nullable=False, server_default=""),
    sa.Column("tokens", sa.JSON, nullable=False, server_default='["", ""]'),
    sa.Column("changed", sa.Float, nullable=False, server_default="0"),
    sa.Column("clock", sa.Float, nullable=False, server_default="0"),
    sa.Column("used", sa.JSON, nullable=False, server_default="[0, 0]"),
    sa.Column("turn_began", sa.Float, nullable=False, server_default="0"),
    sa.Index("by_owner", "owner", "created"),
    sa.Index("by_end", "over", "created"),
)
_last_change = sa.func.max(_GAMES.c.changed, _GAMES.c.created)
_UNTOUCHED, _ABANDONED = 24 * 3600.0, 14 * 24 * 3600.0  # seconds after which unfinished games are deleted


class Store:
    """The games of a server."""

    def __init__(self, path: str | Path) -> None:
        """Open the file. The file and its folder are made if they do not exist.

        Raises:
            OSError: it cannot be made, or is no such file.
        """
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        _make_private(Path(path))
        self._engine = sa.create_engine(f"sqlite:///{path}", connect_args={"timeout": 30}, pool_size=_CONNECTIONS)
        self._writing = threading.Lock()  # who waits for SQLite's own lock sleeps, and long
        sa.event.listen(self._engine, "connect", _prepare)
        try:
            _GAMES.metadata.create_all(self._engine)
            self._add_columns()
            self.owned("", 0)  # a table of another making has other columns
        except SQLAlchemyError as error:
            raise OSError(f"games cannot be kept in {str(path)!r}: {_reason(error)}") from None

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()

    def _add_columns(self) -> None:
        """Add the columns with a default that a file of an earlier version lacks."""
        present = {column["name"] for column in sa.inspect(self._engine).get_columns(_GAMES.name)}
        missing = [column for column in _GAMES.columns if column.server_default is not None]
        with self._engine.begin() as connection:
            for column in missing:
                if column.name not in present:
                    definition = sa.schema.CreateColumn(column).compile(dialect=self._engine.dialect)
                    connection.execute(sa.text(f"ALTER TABLE {_GAMES.name} ADD COLUMN {definition}"))

    def add(
        self, environment: str, seats: tuple[str, str], seed: int, start: str, owner: str, over: bool, **more: Any
    ) -> GameRecord:
        """Begin a game; ``more`` are other attributes of its record."""
        id = secrets.token_urlsafe(16)
        now = time.time()
        record = GameRecord(id, environment, seats, seed, start, owner, now, over=over, changed=now, **more)
        with self._writing, self._engine.begin() as connection:
            connection.execute(_GAMES.insert(), vars(record))
        return record

    def get(self, id: str) -> GameRecord:
        """Return the game of an id.

        Raises:
            UnknownGameError: there is none.
        """
        return _record(self._row(_GAMES.select(), id))

    def version(self, id: str) -> int:
        """Return the number of changes of a game.

        Raises:
            UnknownGameError: there is none.
        """
        version: int = self._row(sa.select(_GAMES.c.version), id)["version"]
        return version

    def change(self, record: GameRecord, **changes: Any) -> GameRecord:
        """Change a game that nobody has changed since ``record`` was read, and return the new record.

        Raises:
            UnknownGameError: there is no such game.
            ConflictError: it was changed in the meantime.
        """
        changes |= {"version": record.version + 1, "changed": time.time()}
        here = _GAMES.c.id == record.id, _GAMES.c.version == record.version
        with self._writing, self._engine.begin() as connection:
            changed = connection.execute(_GAMES.update().where(*here).values(changes)).rowcount
        if not changed:
            self.version(record.id)
            raise ConflictError(f"game {record.id} has gone on in the meantime")
        return replace(record, **changes)

    def delete(self, record: GameRecord) -> None:
        """Delete a game that nobody has changed since ``record`` was read.

        Raises:
            UnknownGameError: there is no such game.
            ConflictError: it was changed in the meantime.
        """
        here = _GAMES.c.id == record.id, _GAMES.c.version == record.version
        with self._writing, self._engine.begin() as connection:
            deleted = connection.execute(_GAMES.delete().where(*here)).rowcount
        if not deleted:
            self.version(record.id)
            raise ConflictError(f"game {record.id} has gone on in the meantime")

    def owned(self, owner: str, limit: int, offset: int = 0) -> list[GameRecord]:
        """The games of an owner, the newest first, without the first ``offset``."""
        query = _GAMES.select().where(_GAMES.c.owner == owner).order_by(_GAMES.c.created.desc())
        query = query.limit(limit).offset(offset)
        with self._engine.connect() as connection:
            return list(map(_record, connection.execute(query).mappings()))

    def count(self, owner: str) -> int:
        """Return the number of games of an owner."""
        query = sa.select(sa.func.count()).where(_GAMES.c.owner == owner)
        with self._engine.connect() as connection:
            return connection.scalar(query) or 0

    def count_unfinished(self, since: float, client: str | None = None) -> int:
        """Return the number of unfinished games that were changed since then, in seconds since 1970.

        Args:
            since: in seconds since 1970.
            client: whose games to count; None means all.
        """
        query = sa.select(sa.func.count()).where(_GAMES.c.over.is_(False), _last_change >= since)
        if client is not None:
            query = query.where(_GAMES.c.client == client)
        with self._engine.connect() as connection:
            return connection.scalar(query) or 0

    def expire(self, now: float) -> int:
        """Delete abandoned games: unfinished ones without a move after a day, the others without a change for 14 days.

        Args:
            now: in seconds since 1970.

        Returns:
            The number of deleted games.
        """
        untouched = sa.and_(_GAMES.c.version == 0, _last_change < now - _UNTOUCHED)
        abandoned = sa.or_(untouched, _last_change < now - _ABANDONED)
        with self._writing, self._engine.begin() as connection:
            return connection.execute(_GAMES.delete().where(_GAMES.c.over.is_(False), abandoned)).rowcount

    def _row(self, query: sa.Select[Any], id: str) -> Mapping[Any, Any]:
        """Return the row of one game in a query of all games."""
        with self._engine.connect() as connection:
            row = connection.execute(query.where(_GAMES.c.id == id)).mappings().first()
        if row is None:
            raise UnknownGameError(f"there is no game {id!r}")
        return row


def _make_private(path: Path) -> None:
    """Let nobody else read the file and those that SQLite keeps beside it; it makes them with the mode of the file."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        if file.exists():
            file.chmod(0o600)


def _record(row: Mapping[Any, Any]) -> GameRecord:
    tuples = {name: tuple(row[name]) for name in ("seats", "actions", "names", "undone", "tokens", "used")}
    return GameRecord(**{**row, **tuples})


def _prepare(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # each statement is a transaction: no more than one makes up a change
    for pragma in ("journal_mode=WAL", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")


def _reason(error: SQLAlchemyError) -> str:
    return str(getattr(error, "orig", None) or error).partition("\n")[0]
