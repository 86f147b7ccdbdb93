"""Games in a file of SQLite: every change is on the disk before it is answered."""

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import ForeignKey, Index, create_engine, delete, event, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column


@dataclass(frozen=True)
class Record:
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


class UnknownGameError(Exception):
    """There is no such game."""


class ConflictError(Exception):
    """Somebody else has changed the game."""


_CONNECTIONS = 48  # more than the threads that Starlette answers in, and those of the agents


class _Base(DeclarativeBase):
    pass


class _Game(_Base):
    __tablename__ = "games"

    id: Mapped[str] = mapped_column(primary_key=True)
    environment: Mapped[str]
    first_seat: Mapped[str]
    second_seat: Mapped[str]
    seed: Mapped[int]
    start: Mapped[str]
    owner: Mapped[str]
    created: Mapped[float]
    resigned: Mapped[int | None]
    over: Mapped[bool]

    __table_args__ = (Index("by_owner", "owner", "created"), Index("by_end", "over", "created"))


class _Move(_Base):
    __tablename__ = "moves"

    game: Mapped[str] = mapped_column(ForeignKey("games.id", ondelete="CASCADE"), primary_key=True)
    ply: Mapped[int] = mapped_column(primary_key=True)
    action: Mapped[int]


class Store:
    """The games of a server."""

    def __init__(self, path: str | Path) -> None:
        """Open the file, which is made if need be, as is its folder.

        Raises:
            OSError: it cannot be made, or is no such file.
        """
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        self._engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": 30}, pool_size=_CONNECTIONS)
        self._writing = threading.Lock()  # who waits for SQLite's own lock sleeps, and long
        event.listen(self._engine, "connect", _prepare)
        try:
            _Base.metadata.create_all(self._engine)
        except Exception as error:  # of SQLite or of SQLAlchemy
            raise OSError(f"games cannot be kept in {str(path)!r}: {_reason(error)}") from None

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()

    def add(self, environment: str, seats: tuple[str, str], seed: int, start: str, owner: str, over: bool) -> Record:
        """Begin a game."""
        record = Record(secrets.token_urlsafe(16), environment, seats, seed, start, owner, time.time(), over=over)
        first, second = seats
        with self._changing() as session:
            session.add(
                _Game(
                    id=record.id,
                    environment=environment,
                    first_seat=first,
                    second_seat=second,
                    seed=seed,
                    start=start,
                    owner=owner,
                    created=record.created,
                    resigned=None,
                    over=over,
                )
            )
        return record

    def get(self, id: str) -> Record:
        """The game of an id.

        Raises:
            UnknownGameError: there is none.
        """
        with Session(self._engine) as session:
            return self._record(session, self._row(session, id))

    def append(self, id: str, before: tuple[int, ...], action: int, over: bool) -> None:
        """Add an action, chosen when these had been played before.

        Raises:
            UnknownGameError: there is no such game.
            ConflictError: others have been played, or the game is over.
        """
        with self._changing() as session:
            row = self._row(session, id)
            if row.over or self._record(session, row).actions != before:
                raise ConflictError(f"game {id} has gone on in the meantime")
            session.add(_Move(game=id, ply=len(before), action=action))
            row.over = over

    def cut(self, id: str, plies: int) -> None:
        """Take back all but so many plies; if a player gave up, that too.

        Raises:
            UnknownGameError: there is no such game.
            ConflictError: it has fewer.
        """
        with self._changing() as session:
            row = self._row(session, id)
            if _length(session, id) < plies:
                raise ConflictError(f"game {id} has fewer than {plies} plies")
            session.execute(delete(_Move).where(_Move.game == id, _Move.ply >= plies))
            row.over, row.resigned = False, None

    def resign(self, id: str, player: int) -> None:
        """End a game as lost for a player.

        Raises:
            UnknownGameError: there is no such game.
            ConflictError: it is over.
        """
        with self._changing() as session:
            row = self._row(session, id)
            if row.over:
                raise ConflictError(f"game {id} is over")
            row.over, row.resigned = True, player

    def seat(self, id: str, seats: tuple[str, str]) -> None:
        """Let others play on.

        Raises:
            UnknownGameError: there is no such game.
        """
        with self._changing() as session:
            row = self._row(session, id)
            row.first_seat, row.second_seat = seats

    def owned(self, owner: str, limit: int) -> list[Record]:
        """The games of an owner, the newest first."""
        with Session(self._engine) as session:
            query = select(_Game).where(_Game.owner == owner).order_by(_Game.created.desc()).limit(limit)
            return [self._record(session, row) for row in session.scalars(query)]

    def going_on(self, since: float) -> int:
        """How many games begun since then, in seconds since 1970, are not over."""
        with Session(self._engine) as session:
            query = select(func.count()).select_from(_Game).where(_Game.over.is_(False), _Game.created >= since)
            return session.scalar(query) or 0

    @contextmanager
    def _changing(self) -> Iterator[Session]:
        """A transaction that nobody else writes in."""
        try:
            with self._writing, Session(self._engine) as session, session.begin():
                session.connection().exec_driver_sql("BEGIN IMMEDIATE")
                yield session
        except IntegrityError as error:
            raise ConflictError(_reason(error)) from None

    def _row(self, session: Session, id: str) -> _Game:
        row = session.get(_Game, id)
        if row is None:
            raise UnknownGameError(f"there is no game {id!r}")
        return row

    def _record(self, session: Session, row: _Game) -> Record:
        actions = session.scalars(select(_Move.action).where(_Move.game == row.id).order_by(_Move.ply))
        return Record(
            row.id,
            row.environment,
            (row.first_seat, row.second_seat),
            row.seed,
            row.start,
            row.owner,
            row.created,
            tuple(actions),
            row.resigned,
            row.over,
        )


def _length(session: Session, id: str) -> int:
    return session.scalar(select(func.count()).select_from(_Move).where(_Move.game == id)) or 0


def _prepare(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # so that a transaction begins where we say so
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _reason(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).partition("\n")[0]
