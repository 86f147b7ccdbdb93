"""Games being played, and agents that answer in threads of their own."""

import os
import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np

from ci_envs.agent.decision import decide
from ci_envs.agent.interface import Agent
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.validation import integer_between
from ci_envs.web.catalog import HUMAN, Catalog
from ci_envs.web.store import ConflictError, GameRecord, Store
from ci_envs.web.table import RefusedError, Table, taken_back, who_resigns

_MOST_GAMES = 2000  # that are going on and were begun in the last day
_DAY = 24 * 3600.0
_IDLE = 4  # agents of one kind that are kept while they have nothing to do
_KINDS = 64
_READY = 1000  # games that are kept in memory as well


class BusyError(Exception):
    """There is too much to do already."""


class Room:
    """The games of a server, and the agents that play in them."""

    def __init__(self, store: Store, catalog: Catalog, *, workers: int | None = None) -> None:
        """Open a room.

        Args:
            store: of the games.
            catalog: of what can be played, and by whom.
            workers: threads in which agents think; None means as many as there are processors.

        Raises:
            ValueError: ``workers`` is not positive.
        """
        count = (os.cpu_count() or 1) if workers is None else integer_between("workers", workers, 1)
        self.catalog = catalog
        self._store = store
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="agent")
        self._idle: dict[tuple[str, str], list[Agent]] = {}  # the last used at the end
        self._thinking: dict[str, bool] = {}  # and whether there was a call for it since it began
        self._troubles: dict[str, str] = {}
        self._tables: OrderedDict[str, Table] = OrderedDict()  # by id, the last used at the end
        self._listeners: dict[str, list[Callable[[], None]]] = defaultdict(list)
        self._lock = threading.Lock()

    def close(self) -> None:
        """Let agents end the ply that they think about, and no other."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def create(
        self, environment: str, seats: tuple[str, str], *, seed: int = 0, start: str | None = None, owner: str = ""
    ) -> Table:
        """Begin a game.

        Args:
            environment: an id with parameters.
            seats: who plays, ``human`` or the spec string of an agent, first player 0.
            seed: of the agents' random numbers.
            start: the position it begins with, as text; None means the game's own.
            owner: in whose list it is to be.

        Raises:
            ValueError: something of that is refused.
            ImportError: an agent needs a package that is not installed.
            BusyError: too many games are going on.
        """
        game, limit = self.catalog.game(environment)
        position = Position.start(game) if start is None else Position.from_text(game, start)
        for spec in seats:
            self._check_seat(environment, game, spec)
        if self._store.going_on(time.time() - _DAY) >= _MOST_GAMES:
            raise BusyError(f"{_MOST_GAMES:,} games are going on already")
        over = position.result is not None
        record = self._store.add(environment, seats, seed, position.to_text(), owner, over)
        table = self._keep(Table(record, game, (position,), limit))
        self._answer(table)
        return table

    def table(self, id: str) -> Table:
        """The game of an id.

        Raises:
            UnknownGameError: there is none.
        """
        known = self._tables.get(id)
        if known is not None and known.record.version == self._store.version(id):
            return known
        record = self._store.get(id)
        game, limit = self.catalog.game(record.environment)
        positions = [Position.from_text(game, record.start)]
        for action in record.actions:
            positions.append(positions[-1].play(action))
        return self._keep(Table(record, game, tuple(positions), limit))

    def owned(self, owner: str, limit: int = 100) -> list[GameRecord]:
        """The games of an owner, the newest first."""
        return self._store.owned(owner, limit)

    def is_thinking(self, id: str) -> bool:
        """Whether an agent is to play in a game, or waits for a thread to do so."""
        with self._lock:
            return id in self._thinking

    def owes(self, table: Table) -> bool:
        """Whether an agent is about to play in a game as it stands here, even if it has done so in the meantime."""
        if not table.is_for_agent or self.trouble(table.record.id):
            return False
        return table.is_awaited or self.is_thinking(table.record.id)

    def trouble(self, id: str) -> str | None:
        """What went wrong when an agent last was to play in a game."""
        return self._troubles.get(id)

    @contextmanager
    def listening(self, id: str, listener: Callable[[], None]) -> Iterator[None]:
        """Call ``listener``, in whatever thread, whenever a game has changed or an agent has ended to think in it."""
        with self._lock:
            self._listeners[id].append(listener)
        try:
            yield
        finally:
            with self._lock:
                self._listeners[id].remove(listener)
                if not self._listeners[id]:
                    del self._listeners[id]

    def play(self, id: str, action: str | int, ply: int | None = None) -> Table:
        """Play an action of a person; an agent whose turn it is then begins to think.

        Args:
            id: of the game.
            action: its name or number.
            ply: how many were played before, if that is to be made sure.

        Raises:
            UnknownGameError: there is no such game.
            ValueError: it is no legal action.
            RefusedError: it is no person's turn.
            ConflictError: other plies have been played.
        """
        table = self.table(id)
        if table.next_seat != HUMAN:
            raise RefusedError(f"the game is over ({table.ending})" if table.ending else "it is an agent's turn")
        if ply is not None and ply != len(table.record.actions):
            raise ConflictError(f"{len(table.record.actions)} plies have been played, not {ply}")
        number = table.position.parse_action(action) if isinstance(action, str) else action
        after = self._append(table, number)
        self._answer(after)
        return after

    def advance(self, id: str) -> Table:
        """Let the agent whose turn it is think and play.

        Raises:
            UnknownGameError: there is no such game.
            RefusedError: it is no agent's turn.
        """
        table = self.table(id)
        if not table.is_for_agent:
            raise RefusedError(f"the game is over ({table.ending})" if table.ending else "it is a person's turn")
        self._think(id)
        return table

    def undo(self, id: str) -> Table:
        """Take back the last turn of a person and what followed; without persons, the last ply.

        Raises:
            UnknownGameError: there is no such game.
            RefusedError: there is nothing to take back.
        """
        table = self._changed(id, taken_back)
        self._troubles.pop(id, None)
        self._answer(table)
        return table

    def resign(self, id: str, player: int | None = None) -> Table:
        """Let a person give up.

        Args:
            id: of the game.
            player: who; None means the person to move, or else the only one.

        Raises:
            UnknownGameError: there is no such game.
            RefusedError: it is over, or there is no such person in it.
        """
        return self._changed(id, lambda table: {"resigned": who_resigns(table, player), "over": True})

    def seat(self, id: str, seats: tuple[str, str]) -> Table:
        """Let others play on; an agent whose turn it is, against a person, begins to think.

        Raises:
            UnknownGameError: there is no such game.
            ValueError: an agent is refused.
        """
        table = self.table(id)
        for spec in seats:
            self._check_seat(table.record.environment, table.game, spec)
        after = self._changed(id, lambda _: {"seats": seats})
        self._answer(after)
        return after

    def resume(self, id: str) -> Table:
        """The game of an id; an agent that owes a person an answer begins to think, if it does not already.

        Raises:
            UnknownGameError: there is no such game.
        """
        table = self.table(id)
        if id not in self._troubles:
            self._answer(table)
        return table

    def borrow(self, environment: str, game: Game, spec: str) -> Agent:
        """An agent for one thread, new or given back; the catalog's errors are raised."""
        with self._lock:
            idle = self._idle.get((environment, spec))
            if idle:
                return idle.pop()
        return self.catalog.agent(spec, game)

    def give_back(self, environment: str, spec: str, agent: Agent) -> None:
        """Keep an agent for the next who wants one like it."""
        with self._lock:
            idle = self._idle.pop((environment, spec), [])
            self._idle[environment, spec] = [*idle, agent][:_IDLE]  # now the last, so that the first is the oldest
            while len(self._idle) > _KINDS:
                del self._idle[next(iter(self._idle))]

    def _check_seat(self, environment: str, game: Game, spec: str) -> None:
        if spec != HUMAN and (environment, spec) not in self._idle:  # else there was such an agent before
            self.give_back(environment, spec, self.borrow(environment, game, spec))

    def _answer(self, table: Table) -> None:
        """Let an agent think if it is its turn and a person waits for it."""
        if table.is_awaited:
            self._think(table.record.id)

    def _think(self, id: str) -> None:
        with self._lock:
            begun = id in self._thinking
            self._thinking[id] = begun
            self._troubles.pop(id, None)
        if not begun:
            self._pool.submit(self._work, id)

    def _work(self, id: str) -> None:
        called = True
        while called:
            try:
                while self._reply(id):
                    pass
            except Exception as error:  # of whatever agent
                self._troubles[id] = f"{type(error).__name__}: {error}"
            with self._lock:
                called = self._thinking.pop(id)
                if called:
                    self._thinking[id] = False
        self._tell(id)

    def _reply(self, id: str) -> bool:
        """Play a ply of an agent; return whether the same or another agent is to go on for a person who waits."""
        table = self.table(id)
        spec = table.next_seat
        if spec is None or spec == HUMAN:
            return False
        environment, position = table.record.environment, table.position
        agent = self.borrow(environment, table.game, spec)
        agent.reseed(int(np.random.SeedSequence([table.record.seed, len(table.record.actions)]).generate_state(1)[0]))
        words = np.array([(position.own, position.opp)], dtype=np.uint64)
        action = int(decide(agent, words).actions[0])
        self.give_back(environment, spec, agent)
        try:
            after = self._append(table, action)
        except ConflictError:  # taken back, or resigned: what was thought is void
            return HUMAN in table.record.seats
        return after.is_awaited

    def _append(self, table: Table, action: int) -> Table:
        position = table.position.play(action)
        actions = (*table.record.actions, action)
        over = position.result is not None or len(actions) >= table.limit
        return self._write(table, (*table.positions, position), {"actions": actions, "over": over})

    def _changed(self, id: str, changes: Callable[[Table], dict[str, Any]]) -> Table:
        """Change a game, as it is at that moment, without another action."""
        while True:
            table = self.table(id)
            wanted = changes(table)
            plies = len(wanted.get("actions", table.record.actions))
            try:
                return self._write(table, table.positions[: plies + 1], wanted)
            except ConflictError:  # look again
                continue

    def _write(self, table: Table, positions: tuple[Position, ...], changes: dict[str, Any]) -> Table:
        record = self._store.change(table.record, **changes)
        after = self._keep(Table(record, table.game, positions, table.limit))
        self._tell(record.id)
        return after

    def _keep(self, table: Table) -> Table:
        with self._lock:
            self._tables[table.record.id] = table
            self._tables.move_to_end(table.record.id)
            while len(self._tables) > _READY:
                self._tables.popitem(last=False)
        return table

    def _tell(self, id: str) -> None:
        with self._lock:
            listeners = list(self._listeners.get(id, ()))
        for listener in listeners:
            listener()
