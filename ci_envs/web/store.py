"""The store of games in an SQLite file.

Every change is in the file before the request is answered, so a crash of the server loses nothing. The system writes
the file to the disk some seconds later, because waiting for a busy disk would delay the moves of all clients by up to a
second. A power failure can lose the changes of these seconds, but does not damage the file.
"""

import os
import secrets
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError


@dataclass(frozen=True)
class GameRecord:
    """The stored record of a game.

    Attributes:
        id: A random id of 22 letters, digits, ``-`` and ``_``.
        environment: The id of the environment with parameters.
        seats: Players 0 and 1, each ``human`` or the spec string of an agent.
        seed: The seed of the agents' random numbers.
        start: The first position as text.
        owner: The visitor who created the game and whose list shows it, or empty.
        created: The time of creation, in seconds since 1970.
        actions: The actions that were played.
        resigned: The player, 0 or 1, who resigned or has no time left, or None.
        over: Whether the game is over.
        version: The number of changes.
        names: The names of persons 0 and 1, or empty.
        undone: The actions that were taken back, the next one to redo first.
        client: The client that created the game (:mod:`ci_envs.web.limits`), or empty if it is unknown.
        tokens: The hashes of the tokens of the seats of players 0 and 1 (:mod:`ci_envs.web.seats`).
        clock: The seconds of each player for all moves. 0 means no clock.
        used: The seconds that players 0 and 1 used until ``turn_began``.
        turn_began: The start of the current turn, in seconds since 1970. 0 before the first move.
        increment: The seconds that a player gets after each turn.
        agreed: Whether the players agreed to a draw.
        proposal: The open proposal of a person, its kind and the player (:mod:`ci_envs.web.proposals`), or empty.
        rematch: The id of the rematch, or empty.
        changed: The time of the last change, in seconds since 1970. 0 if an earlier version created the game.
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
    increment: float = 0.0
    agreed: bool = False
    proposal: tuple[str, int] | tuple[()] = ()
    rematch: str = ""


def new_record(
    environment: str, seats: tuple[str, str], seed: int, start: str, owner: str, over: bool, **more: Any
) -> GameRecord:
    """Return the record of a new game. ``more`` contains other attributes of the record."""
    id, now = secrets.token_urlsafe(16), time.time()
    return GameRecord(id, environment, seats, seed, start, owner, now, over=over, changed=now, **more)


class UnknownGameError(Exception):
    """The error of a request for a game that does not exist."""


class ConflictError(Exception):
    """The error of a change of a game that another client has changed in the meantime."""


class StorageError(Exception):
    """The error of a file that cannot be read or written, for example because the disk is full."""


_CONNECTIONS = 48  # more than the number of threads of Starlette and of the agents
_CACHE_KIB = 64  # of each connection; the system keeps the pages of the file in memory once for all


def _token(seat: int) -> sa.ColumnClause[Any]:
    """Return the stored hash of a seat's token as an expression of SQL."""
    return sa.literal_column(f"json_extract(tokens, '$[{seat}]')")


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
    sa.Column("increment", sa.Float, nullable=False, server_default="0"),
    sa.Column("agreed", sa.Boolean, nullable=False, server_default="0"),
    sa.Column("proposal", sa.JSON, nullable=False, server_default="[]"),
    sa.Column("rematch", sa.String, nullable=False, server_default=""),
    sa.Index("by_owner", "owner", "created"),
    sa.Index("by_end", "over", "created"),
    *(sa.Index(f"by_token_{seat}", _token(seat)) for seat in range(2)),
)
_COUNTED_GAMES = 10_000  # for the opening explorer
_last_change = sa.func.max(_GAMES.c.changed, _GAMES.c.created)
_UNTOUCHED, _ABANDONED = 24 * 3600.0, 14 * 24 * 3600.0  # seconds after which unfinished games are deleted


class Store:
    """The store of the games of a server."""

    def __init__(self, path: str | Path) -> None:
        """Open the file. Create the file and its folder if they do not exist.

        Raises:
            OSError: The file cannot be created, or is not a store of games.
        """
        file = Path(path)
        if file.exists() and not file.is_file():
            raise OSError(f"games cannot be kept in {str(path)!r}: it is not a regular file")
        file.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))  # fails if the file cannot be written
        options: dict[str, Any] = {"connect_args": {"timeout": 30}, "pool_size": _CONNECTIONS}
        self._engine = sa.create_engine(f"sqlite:///{path}", hide_parameters=True, **options)  # they contain secrets
        self._writing = threading.Lock()  # a thread that waits for the lock of SQLite would sleep for a long time
        sa.event.listen(self._engine, "connect", _prepare)
        try:
            _GAMES.metadata.create_all(self._engine)
            self._add_columns()
            self._add_indexes()
            self.listed("", "", 0)  # fails if the file has a table with other columns
        except SQLAlchemyError as error:
            raise OSError(f"games cannot be kept in {str(path)!r}: {_reason(error)}") from None
        sa.event.listen(self._engine, "handle_error", _explain)
        _make_private(file)

    def close(self) -> None:
        """Close the file."""
        self._engine.dispose()

    def _add_columns(self) -> None:
        """Add the columns with a default value that are missing in a file of an earlier version."""
        present = {column["name"] for column in sa.inspect(self._engine).get_columns(_GAMES.name)}
        missing = [column for column in _GAMES.columns if column.server_default is not None]
        with self._engine.begin() as connection:
            for column in missing:
                if column.name not in present:
                    definition = sa.schema.CreateColumn(column).compile(dialect=self._engine.dialect)
                    connection.execute(sa.text(f"ALTER TABLE {_GAMES.name} ADD COLUMN {definition}"))

    def _add_indexes(self) -> None:
        """Add the indexes that are missing in a file of an earlier version."""
        with self._engine.begin() as connection:
            for index in _GAMES.indexes:
                connection.execute(sa.schema.CreateIndex(index, if_not_exists=True))

    def add(self, record: GameRecord) -> None:
        """Add a game."""
        with self._writing, self._engine.begin() as connection:
            connection.execute(_GAMES.insert(), vars(record))

    def get(self, id: str) -> GameRecord:
        """Return the record of a game.

        Raises:
            UnknownGameError: There is no game with this id.
        """
        return _record(self._row(_GAMES.select(), id))

    def version(self, id: str) -> int:
        """Return the number of changes of a game.

        Raises:
            UnknownGameError: There is no game with this id.
        """
        version: int = self._row(sa.select(_GAMES.c.version), id)["version"]
        return version

    def change(self, record: GameRecord, **changes: Any) -> GameRecord:
        """Change a game, and return the new record. Nobody may have changed the game since ``record`` was read.

        Raises:
            UnknownGameError: There is no game with this id.
            ConflictError: The game was changed in the meantime.
        """
        changes |= {"version": record.version + 1, "changed": time.time()}
        here = _GAMES.c.id == record.id, _GAMES.c.version == record.version
        with self._writing, self._engine.begin() as connection:
            changed = connection.execute(_GAMES.update().where(*here).values(changes)).rowcount
        if not changed:
            self.version(record.id)
            raise ConflictError(f"Game {record.id} was changed in the meantime. Reload the game, then retry.")
        return replace(record, **changes)

    def delete(self, record: GameRecord) -> None:
        """Delete a game. Nobody may have changed the game since ``record`` was read.

        Raises:
            UnknownGameError: There is no game with this id.
            ConflictError: The game was changed in the meantime.
        """
        here = _GAMES.c.id == record.id, _GAMES.c.version == record.version
        with self._writing, self._engine.begin() as connection:
            deleted = connection.execute(_GAMES.delete().where(*here)).rowcount
        if not deleted:
            self.version(record.id)
            raise ConflictError(f"Game {record.id} was changed in the meantime. Reload the game, then retry.")

    def listed(self, owner: str, token: str, limit: int, offset: int = 0) -> list[GameRecord]:
        """Return up to ``limit`` games in a visitor's list after the first ``offset``, the newest first.

        Args:
            owner: The visitor, who created the games or has a seat in them.
            token: The hash of the visitor's token of seats, or empty.
            limit: The largest number of games.
            offset: The number of newer games that are left out.
        """
        query = _GAMES.select().where(_is_listed(owner, token)).order_by(_GAMES.c.created.desc())
        query = query.limit(limit).offset(offset)
        with self._engine.connect() as connection:
            return list(map(_record, connection.execute(query).mappings()))

    def count(self, owner: str, token: str) -> int:
        """Return the number of games in a visitor's list (:meth:`listed`)."""
        query = sa.select(sa.func.count()).where(_is_listed(owner, token))
        with self._engine.connect() as connection:
            return connection.scalar(query) or 0

    def next_actions(self, environment: str, start: str, actions: tuple[int, ...]) -> Counter[int]:
        """Return how many finished games continue with each action after their first actions.

        Only the newest 10,000 finished games that began so are counted.

        Args:
            environment: The id of the environment with parameters.
            start: The first position as text.
            actions: The first actions.
        """
        began = "[" + "".join(f"{action}, " for action in actions)  # the JSON of longer lists with the same beginning
        columns, wanted = _GAMES.c, sa.cast(_GAMES.c.actions, sa.String)
        query = sa.select(columns.actions).where(columns.over, columns.environment == environment)
        query = query.where(columns.start == start, wanted.startswith(began))
        query = query.order_by(columns.created.desc()).limit(_COUNTED_GAMES)
        with self._engine.connect() as connection:
            rows = [row[0] for row in connection.execute(query)]
        return Counter(played[len(actions)] for played in rows if len(played) > len(actions))

    def count_unfinished(self, since: float, client: str | None = None) -> int:
        """Return the number of unfinished games that were changed since a time.

        Args:
            since: The time in seconds since 1970.
            client: The client that created the games. None means all clients.
        """
        query = sa.select(sa.func.count()).where(_GAMES.c.over.is_(False), _last_change >= since)
        if client is not None:
            query = query.where(_GAMES.c.client == client)
        with self._engine.connect() as connection:
            return connection.scalar(query) or 0

    def expire(self, now: float) -> int:
        """Delete abandoned games: unfinished games without a move after a day, or without a change for 14 days.

        Args:
            now: The time in seconds since 1970.

        Returns:
            The number of deleted games.
        """
        untouched = sa.and_(_GAMES.c.version == 0, _last_change < now - _UNTOUCHED)
        abandoned = sa.or_(untouched, _last_change < now - _ABANDONED)
        with self._writing, self._engine.begin() as connection:
            return connection.execute(_GAMES.delete().where(_GAMES.c.over.is_(False), abandoned)).rowcount

    def _row(self, query: sa.Select[Any], id: str) -> Mapping[Any, Any]:
        """Return the row of a game in a query of all games."""
        with self._engine.connect() as connection:
            row = connection.execute(query.where(_GAMES.c.id == id)).mappings().first()
        if row is None:
            raise UnknownGameError(f"There is no game {id!r}.")
        return row


def _is_listed(owner: str, token: str) -> sa.ColumnElement[bool]:
    """Return the condition that a visitor created a game or has a seat in it. An empty token has no seat."""
    seats = [_token(seat) == token for seat in range(2)] if token else []
    return sa.or_(_GAMES.c.owner == owner, *seats)


def _make_private(path: Path) -> None:
    """Set the mode of the file and of the files that SQLite creates next to it to 0600."""
    for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        if file.exists():
            file.chmod(0o600)


def _record(row: Mapping[Any, Any]) -> GameRecord:
    tuples = {name: tuple(row[name]) for name in ("seats", "actions", "names", "undone", "tokens", "used", "proposal")}
    return GameRecord(**{**row, **tuples})


def _prepare(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # each change is a single statement, which is a transaction of its own
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", f"cache_size=-{_CACHE_KIB}"):
        connection.execute(f"PRAGMA {pragma}")


def _explain(context: sa.engine.ExceptionContext) -> None:
    """Raise a message without the statement instead of an error of the file."""
    if isinstance(context.original_exception, sqlite3.OperationalError):
        reason = _reason(context.original_exception)
        raise StorageError(
            f"The server cannot read or store games now: {reason}. Retry later; the moves before are kept."
        )


def _reason(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).partition("\n")[0]
