"""Games being played, and agents that answer in threads of their own."""

import os
import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ci_envs.agent.decision import decide
from ci_envs.agent.interface import Agent
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.validation import integer_between
from ci_envs.web.agent_jobs import AgentJobs
from ci_envs.web.catalog import HUMAN, Catalog
from ci_envs.web.clock import clock_changes, is_time_up, used_seconds
from ci_envs.web.limits import ClientLimits, TooManyError, current_client
from ci_envs.web.players import plies_text
from ci_envs.web.seats import FREE, check_all_seats, check_any_seat, check_seat, hash_of, held_seats
from ci_envs.web.store import ConflictError, GameRecord, Store
from ci_envs.web.table import RefusedError, Table, left_to_redo, taken_back, who_resigns, who_takes_back

_HOUR = 3600.0
_IDLE = 4  # agents of one kind that are kept while they have nothing to do
_KINDS = 64
_READY = 1000  # games that are kept in memory as well


class BusyError(Exception):
    """All clients together use as much as the server allows."""


class Room:
    """The games of a server, and the agents that play in them."""

    def __init__(
        self, store: Store, catalog: Catalog, *, workers: int | None = None, limits: ClientLimits | None = None
    ) -> None:
        """Open a room.

        Args:
            store: of the games.
            catalog: of the environments and agents.
            workers: threads in which agents think; None means as many as there are processors.
            limits: on what clients may use; None means the defaults.

        Raises:
            ValueError: ``workers`` is not positive.
        """
        count = (os.cpu_count() or 1) if workers is None else integer_between("workers", workers, 1)
        self.catalog = catalog
        self._store = store
        self.limits = limits or ClientLimits()
        self._jobs = AgentJobs(count, self._reply, self._fail, self._tell)
        self._idle: dict[tuple[str, str], list[Agent]] = {}  # the last used at the end
        self._troubles: dict[str, str] = {}
        self._tables: OrderedDict[str, Table] = OrderedDict()  # by id, the last used at the end
        self._listeners: dict[str, list[Callable[[], None]]] = defaultdict(list)
        self._lock = threading.Lock()

    def close(self) -> None:
        """Let agents end the ply that they think about, and no other."""
        self._jobs.close()

    def create(
        self,
        environment: str,
        seats: tuple[str, str],
        *,
        tokens: tuple[str, str],
        seed: int = 0,
        start: str | None = None,
        owner: str = "",
        names: tuple[str, str] = ("", ""),
        actions: Sequence[str] = (),
        resigned: int | None = None,
        clock: float = 0.0,
    ) -> Table:
        """Begin a game.

        Args:
            environment: an id with parameters.
            seats: the players, ``human`` or the spec string of an agent, first player 0.
            tokens: of the seats of player 0 and of player 1; an empty one leaves the seat free.
            seed: of the agents' random numbers.
            start: the position it begins with, as text; None means the game's own.
            owner: in whose list it is to be.
            names: the names that the players gave themselves, or empty.
            actions: the actions that were played before, by name, as in an exported game.
            resigned: the player who has resigned.
            clock: the seconds that each player has for all moves; 0 means no clock.

        Raises:
            ValueError: something of that is refused.
            ImportError: an agent needs a package that is not installed.
            TooManyError: the client has too many unfinished games.
            BusyError: all clients together have too many unfinished games.
        """
        game, limit = self.catalog.game(environment)
        position = Position.start(game) if start is None else Position.from_text(game, start)
        if clock and HUMAN not in seats:
            raise ValueError("A clock needs a person who plays. Leave it out, or play yourself.")
        for spec in seats:
            self._check_seat(environment, game, spec)
        client = current_client.get()
        self._check_limits(client)
        positions, numbers = [position], list[int]()
        for name in actions:
            numbers.append(positions[-1].parse_action(name))
            positions.append(positions[-1].play(numbers[-1]))
        if len(numbers) > limit:
            raise ValueError(f"a game of {environment} has at most {limit} moves, not {len(numbers)}")
        over = positions[-1].result is not None or resigned is not None or len(numbers) >= limit
        first, second = map(hash_of, tokens)
        more: dict[str, Any] = {"names": names, "actions": tuple(numbers), "resigned": resigned}
        more |= {"client": client, "tokens": (first, second), "clock": clock}
        record = self._store.add(environment, seats, seed, position.to_text(), owner, over, **more)
        table = self._keep(Table(record, game, tuple(positions), limit))
        self._answer(table)
        return table

    def table(self, id: str) -> Table:
        """Return the game of an id.

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

    def on_time(self, id: str) -> Table:
        """Return the game of an id. The player to move loses it if no time is left.

        Raises:
            UnknownGameError: there is none.
        """
        table = self.table(id)
        if not is_time_up(table, time.time()):
            return table

        def changes(table: Table) -> dict[str, Any]:
            now = time.time()
            if not is_time_up(table, now):  # the player has moved in the meantime
                return {}
            return {"resigned": table.position.to_move, "over": True, "used": used_seconds(table, now)}

        self._changed(id, changes)
        self._call_off(id)
        return self.table(id)

    def owned(self, owner: str, limit: int = 100, offset: int = 0) -> list[GameRecord]:
        """The games of an owner, the newest first, without the first ``offset``."""
        return self._store.owned(owner, limit, offset)

    def count(self, owner: str) -> int:
        """Return the number of games of an owner."""
        return self._store.count(owner)

    def is_thinking(self, id: str) -> bool:
        """Whether an agent is to play in a game, or waits for a thread to do so."""
        return self._jobs.is_running(id)

    def owes(self, table: Table) -> bool:
        """Whether an agent is about to play in a game as it stands here, even if it has done so in the meantime."""
        if not table.is_for_agent or self.trouble(table.record.id):
            return False
        return table.is_awaited or self.is_thinking(table.record.id)

    def trouble(self, id: str) -> str | None:
        """Return the error of the last agent that had to play in a game, or None."""
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

    def play(self, id: str, action: str | int, ply: int | None = None, *, tokens: Collection[str]) -> Table:
        """Play an action of a person; an agent whose turn it is then begins to think.

        Args:
            id: of the game.
            action: its name or number.
            ply: how many were played before, if that is to be made sure.
            tokens: of the seats that the client has.

        Raises:
            UnknownGameError: there is no such game.
            SeatError: the client does not have the seat of the player to move.
            ValueError: it is no legal action.
            RefusedError: it is no person's turn.
            ConflictError: other plies have been played.
        """
        table = self.on_time(id)
        if table.next_seat != HUMAN:
            raise RefusedError(f"the game is over ({table.ending})" if table.ending else "it is an agent's turn")
        check_any_seat(table.record, tokens)
        if ply is not None and ply != len(table.record.actions):
            played, expected = plies_text(len(table.record.actions)), plies_text(ply)
            raise ConflictError(f"The game has {played} now, not {expected}. Look at it again, then play.")
        check_seat(table.record, table.position.to_move, tokens)
        number = table.position.parse_action(action) if isinstance(action, str) else action
        after = self._append(table, number)
        self._answer(after)
        return after

    def advance(self, id: str, *, tokens: Collection[str]) -> Table:
        """Let the agent whose turn it is think and play.

        Raises:
            UnknownGameError: there is no such game.
            SeatError: the client has no seat in the game.
            RefusedError: it is no agent's turn.
        """
        table = self.table(id)
        check_any_seat(table.record, tokens)
        if not table.is_for_agent:
            raise RefusedError(f"the game is over ({table.ending})" if table.ending else "it is a person's turn")
        self._think(id)
        return table

    def undo(self, id: str, *, tokens: Collection[str]) -> Table:
        """Take back the last turn of a person and what followed; without persons, the last ply.

        Raises:
            UnknownGameError: there is no such game.
            SeatError: the client does not have the seat of the player whose turn it was.
            RefusedError: there is nothing to take back.
        """

        def changes(table: Table) -> dict[str, Any]:
            check_any_seat(table.record, tokens)
            check_seat(table.record, who_takes_back(table), tokens)
            return taken_back(table) | clock_changes(table, time.time())

        table = self._changed(id, changes)
        self._call_off(id)
        return table

    def redo(self, id: str, *, tokens: Collection[str]) -> Table:
        """Play the actions that were taken back last again, up to the next turn of a person.

        Raises:
            UnknownGameError: there is no such game.
            SeatError: the client does not have the seat of the player to move.
            RefusedError: there is nothing to redo.
        """
        table = self.on_time(id)
        if table.ending or not table.record.undone:
            raise RefusedError("there is nothing to redo")
        check_seat(table.record, table.position.to_move, tokens)
        table = self._append(table, table.record.undone[0])
        while table.record.undone and table.is_awaited:
            table = self._append(table, table.record.undone[0])
        self._answer(table)
        return table

    def resign(self, id: str, player: int | None = None, *, tokens: Collection[str]) -> Table:
        """Resign for a person.

        Args:
            id: of the game.
            player: who; None means the person whose seat the client has, the one to move if both.
            tokens: of the seats that the client has.

        Raises:
            UnknownGameError: there is no such game.
            SeatError: the client does not have the seat of the player.
            RefusedError: it is over, or there is no such person in it.
        """

        def changes(table: Table) -> dict[str, Any]:
            check_any_seat(table.record, tokens)
            who = who_resigns(table, player, held_seats(table.record, tokens))
            check_seat(table.record, who, tokens)
            return {"resigned": who, "over": True}

        table = self._changed(id, changes)
        self._call_off(id)
        return table

    def take_seat(self, id: str, player: int, token: str) -> Table:
        """Give a free seat to a client, with a new token.

        Raises:
            UnknownGameError: there is no such game.
            RefusedError: the seat is not free.
        """

        def changes(table: Table) -> dict[str, Any]:
            if table.record.tokens[player] != FREE:
                raise RefusedError(f"The seat of player {player} is taken.")
            return {"tokens": _with_token(table.record, player, hash_of(token))}

        return self._changed(id, changes)

    def free_seat(self, id: str, player: int, *, tokens: Collection[str]) -> Table:
        """Give up the seat of a person, so that anybody with the link to the game can take it.

        Raises:
            UnknownGameError: there is no such game.
            SeatError: the client does not have the seat.
            RefusedError: an agent plays this seat.
        """

        def changes(table: Table) -> dict[str, Any]:
            check_seat(table.record, player, tokens)
            if table.record.seats[player] != HUMAN:
                raise RefusedError(f"An agent plays the seat of player {player}.")
            return {"tokens": _with_token(table.record, player, FREE)}

        return self._changed(id, changes)

    def delete(self, id: str, *, tokens: Collection[str]) -> None:
        """Delete a game.

        Raises:
            UnknownGameError: there is no such game.
            SeatError: the client has no seat in the game, or another client has one.
            ConflictError: the game has gone on in the meantime.
        """
        table = self.table(id)
        check_all_seats(table.record, tokens)
        self._store.delete(table.record)
        with self._lock:
            self._tables.pop(id, None)
            self._troubles.pop(id, None)
        self._tell(id)

    def seat(self, id: str, seats: tuple[str, str], *, tokens: Collection[str]) -> Table:
        """Change the players. An agent whose turn it is, against a person, begins to think.

        Raises:
            UnknownGameError: there is no such game.
            SeatError: the client does not have each seat that changes.
            ValueError: an agent is refused.
        """
        table = self.table(id)
        check_any_seat(table.record, tokens)  # before an agent is loaded
        for spec in seats:
            self._check_seat(table.record.environment, table.game, spec)

        def changes(table: Table) -> dict[str, Any]:
            check_any_seat(table.record, tokens)
            for player, spec in enumerate(seats):
                if spec != table.record.seats[player]:
                    check_seat(table.record, player, tokens)
            return {"seats": seats}

        after = self._changed(id, changes)
        self._call_off(id)
        return after

    def resume(self, id: str) -> Table:
        """Return the game of an id. An agent that has to answer a person begins to think, if it does not already.

        Raises:
            UnknownGameError: there is no such game.
        """
        table = self.on_time(id)
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

    def expire(self) -> int:
        """Delete abandoned games, and return how many."""
        return self._store.expire(time.time())

    def _check_limits(self, client: str) -> None:
        since = time.time() - _HOUR
        if client and self._store.going_on(since, client) >= self.limits.client_games:
            raise TooManyError(
                f"You have {self.limits.client_games:,} unfinished games. Finish or delete one, or retry in an hour."
            )
        if self._store.going_on(since) >= self.limits.games:
            raise BusyError(
                f"The server has {self.limits.games:,} unfinished games, as many as it allows. Retry later."
            )

    def _check_seat(self, environment: str, game: Game, spec: str) -> None:
        if spec != HUMAN and (environment, spec) not in self._idle:  # else there was such an agent before
            self.give_back(environment, spec, self.borrow(environment, game, spec))

    def _answer(self, table: Table) -> None:
        """Let an agent think if it is its turn and a person waits for it."""
        if table.is_awaited:
            self._think(table.record.id)

    def _think(self, id: str) -> None:
        self._troubles.pop(id, None)
        self._jobs.start(id, current_client.get())

    def _call_off(self, id: str) -> None:
        """Stop an agent that thinks about an earlier state of a game; the agent to move begins, if a person waits."""
        self._jobs.call_off(id)
        self._troubles.pop(id, None)
        self._answer(self.table(id))  # as it is now: another client may have played in the meantime

    def _fail(self, id: str, error: Exception) -> None:
        self._troubles[id] = f"{type(error).__name__}: {error}"

    def _reply(self, id: str) -> bool:
        """Play a ply of an agent; return whether the same or another agent is to go on for a person who waits."""
        table = self.on_time(id)
        spec = table.next_seat
        if spec is None or spec == HUMAN:
            return False
        environment, position = table.record.environment, table.position
        agent = self.borrow(environment, table.game, spec)
        agent.reseed(int(np.random.SeedSequence([table.record.seed, len(table.record.actions)]).generate_state(1)[0]))
        words = np.array([(position.own, position.opp)], dtype=np.uint64)
        action = int(decide(agent, words).actions[0])
        self.give_back(environment, spec, agent)
        self.on_time(id)  # its answer may come too late
        try:
            after = self._append(table, action)
        except ConflictError:  # taken back, or resigned: what was thought is void
            return HUMAN in table.record.seats
        return after.is_awaited

    def _append(self, table: Table, action: int) -> Table:
        position = table.position.play(action)
        actions = (*table.record.actions, action)
        over = position.result is not None or len(actions) >= table.limit
        wanted = {"actions": actions, "over": over, "undone": left_to_redo(table.record, action)}
        return self._write(table, (*table.positions, position), wanted | clock_changes(table, time.time()))

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


def _with_token(record: GameRecord, player: int, token: str) -> tuple[str, str]:
    first, second = (token if seat == player else kept for seat, kept in enumerate(record.tokens))
    return first, second
