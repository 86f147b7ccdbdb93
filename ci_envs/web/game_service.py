"""The games of a server: creating them, playing moves, and agents that compute their moves in worker processes."""

import os
import threading
import time
from collections import Counter
from collections.abc import Collection
from typing import Any

import numpy as np

from ci_envs.games.position import Position
from ci_envs.validation import integer_between
from ci_envs.web.agent_jobs import AgentJobs
from ci_envs.web.agent_pool import AgentPool
from ci_envs.web.agent_processes import AgentProcesses
from ci_envs.web.catalog import HUMAN, Catalog
from ci_envs.web.clock import Clock, clock_after_takeback, clock_changes, is_time_up, used_seconds
from ci_envs.web.fork_server import ForkServer
from ci_envs.web.game_states import GameStates
from ci_envs.web.hosted_game import GameStateError, History, HostedGame, left_to_redo, taken_back, who_resigns
from ci_envs.web.limits import BusyError, ClientLimitError, ClientLimits, current_client
from ci_envs.web.listeners import Listeners
from ci_envs.web.players import plies_text
from ci_envs.web.preparation import prepare
from ci_envs.web.proposals import (
    Kind,
    after_move,
    check_possible,
    is_agreed,
    proposers,
    whose_turn_is_taken_back,
)
from ci_envs.web.seats import FREE, check_all_seats, check_any_seat, check_seat, hash_of, held_seats
from ci_envs.web.store import ConflictError, GameRecord, Store, new_record

_HOUR = 3600.0
_KEPT = 3  # processes without a job for each worker
_MEMORY_MB, _WORKER_MB = 192, 256  # the budget of memory: for shared pages, and for each worker


class GameService:
    """The games of a server, and the agents that play in them.

    Attributes:
        catalog: the environments and agents.
        limits: the limits for clients.
        agents: the moves of agents, in worker processes.
        analysts: the analyses of agents, in worker processes.
        listeners: the listeners to changes of a game, which are also notified after an agent has stopped computing.
    """

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        *,
        workers: int | None = None,
        limits: ClientLimits | None = None,
        memory_mb: int | None = None,
        fork_server: ForkServer | None = None,
    ) -> None:
        """Make the service.

        Args:
            store: The store of the games.
            catalog: The environments and agents.
            workers: The number of processes in which agents compute moves, and of those in which they analyse. None
                means the number of processors, but at least 2.
            limits: The limits for clients. None means the defaults.
            memory_mb: The memory of all worker processes together, in units of 2^20 bytes. None means 192, and 256
                more for each worker.
            fork_server: The process that forks the worker processes. None means one that starts with the first of them.

        Raises:
            ValueError: ``workers`` or ``memory_mb`` is not positive.
        """
        self._workers = max(2, os.cpu_count() or 1) if workers is None else integer_between("workers", workers, 1)
        self.catalog = catalog
        self._store = store
        self.limits = limits or ClientLimits()
        budget = _MEMORY_MB + _WORKER_MB * self._workers
        budget = budget if memory_mb is None else integer_between("memory_mb", memory_mb, 1)
        self._processes = AgentProcesses(catalog.listed, _KEPT * self._workers, budget, fork_server)
        self.agents = AgentPool(self._processes, self._workers, "agent")
        self.analysts = AgentPool(self._processes, self._workers, "search")
        self.listeners = Listeners()
        self._states = GameStates(store, catalog, self.listeners.notify)
        self._jobs = AgentJobs(self.agents.submit, self._play_agent_move, self._record_error, self.listeners.notify)
        self._errors: dict[str, str] = {}
        self._proposing = threading.Lock()
        self._compiling: set[str] = set()  # the ids of games
        self._closing = threading.Event()

    def start(self, *, prepares: bool = False) -> None:
        """Start processes in which agents compute, so that the first games need not wait for them.

        Args:
            prepares: Whether to compile the code of the usual games too, which can take minutes.
        """
        self._processes.start(self._workers + 1)
        if prepares:
            prepare(self.catalog, self.agents, self._closing)

    def close(self) -> None:
        """End all computations of agents."""
        self._closing.set()
        self._processes.close()
        self.agents.close()
        self.analysts.close()
        self._processes.stop()

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
        clock: Clock = Clock(),  # noqa: B008  # immutable
        history: History = History(),  # noqa: B008  # immutable
    ) -> HostedGame:
        """Create a game.

        Args:
            environment: An id with parameters.
            seats: Players 0 and 1, each ``human`` or the spec string of an agent.
            tokens: The tokens of the seats of players 0 and 1. An empty token leaves the seat free.
            seed: The seed of the agents' random numbers.
            start: The first position as text. None means the start of the game.
            owner: The visitor whose list shows the game, or empty.
            names: The names of players 0 and 1, of a person or of the level of an agent, or empty.
            clock: The time of each player.
            history: What was played before.

        Raises:
            ValueError: An argument is invalid.
            ImportError: An agent needs a package that is not installed.
            ClientLimitError: The client has too many unfinished games.
            BusyError: All clients together have too many unfinished games.
        """
        game, limit = self.catalog.game(environment)
        position = Position.start(game) if start is None else Position.from_text(game, start)
        _check_clock(clock, seats)
        client = current_client.get()
        for spec in seats:
            self.agents.check(client, game, spec)
        self._check_limits(client)
        positions, numbers = [position], list[int]()
        for name in history.actions:
            numbers.append(positions[-1].parse_action(name))
            positions.append(positions[-1].play(numbers[-1]))
        if len(numbers) > limit:
            raise ValueError(f"a game of {environment} has at most {limit} moves, not {len(numbers)}")
        ended = history.resigned is not None or history.agreed
        decided = positions[-1].result is not None or len(numbers) >= limit
        first, second = map(hash_of, tokens)
        more: dict[str, Any] = {"names": names, "actions": tuple(numbers), "client": client, "tokens": (first, second)}
        more |= {"resigned": history.resigned, "agreed": history.agreed}
        more |= {"clock": clock.seconds, "increment": clock.increment, "used": history.used}
        record = new_record(environment, seats, seed, position.to_text(), owner, decided or ended, **more)
        hosted = HostedGame(record, game, tuple(positions), limit)
        if (decided and ended) or (history.result is not None and history.result != (hosted.ending, hosted.winner)):
            raise ValueError(f"the moves, the clock and the result {history.result} of this game do not fit together")
        if is_time_up(hosted, time.time()):
            raise ValueError("the player to move has no time left, but the game has no result")
        self._add(hosted)
        return hosted

    def _add(self, hosted: HostedGame) -> None:
        self._store.add(hosted.record)
        self._states.keep(hosted)
        self._start_awaited_agent(hosted)

    def get(self, id: str) -> HostedGame:
        """Return a game.

        Raises:
            UnknownGameError: There is no game with this id.
        """
        return self._states.get(id)

    def apply_clock(self, id: str) -> HostedGame:
        """Return a game. The player to move loses it if no time is left.

        Raises:
            UnknownGameError: there is none.
        """
        hosted = self.get(id)
        if not is_time_up(hosted, time.time()):
            return hosted

        def changes(hosted: HostedGame) -> dict[str, Any]:
            now = time.time()
            if not is_time_up(hosted, now):  # the player has moved in the meantime
                return {}
            return {"resigned": hosted.position.to_move, "over": True, "used": used_seconds(hosted, now)}

        self._states.update(id, changes)
        self._cancel_agent(id)
        return self.get(id)

    def owned(self, owner: str, limit: int = 100, offset: int = 0) -> list[GameRecord]:
        """Return up to ``limit`` games that a visitor created or has a seat in, the newest first.

        Args:
            owner: The visitor, whose token of seats is the same.
            limit: The largest number of games.
            offset: The number of newer games that are left out.
        """
        return self._store.listed(owner, hash_of(owner), limit, offset)

    def count(self, owner: str) -> int:
        """Return the number of games in the list of a visitor (:meth:`owned`)."""
        return self._store.count(owner, hash_of(owner))

    def next_actions(self, position: Position, environment: str, actions: tuple[int, ...]) -> Counter[int]:
        """Return how many finished games from a position continue with each action after their first actions."""
        return self._store.next_actions(environment, position.to_text(), actions)

    def is_thinking(self, id: str) -> bool:
        """Return whether an agent is computing a move in a game, or waits for a thread."""
        return self._jobs.is_running(id)

    def is_agent_due(self, hosted: HostedGame) -> bool:
        """Return whether an agent is about to play in this state of a game, even if it has played in the meantime."""
        if not hosted.is_for_agent or self.agent_error(hosted.record.id):
            return False
        return hosted.is_awaited or self.is_thinking(hosted.record.id)

    def is_compiling(self, id: str) -> bool:
        """Return whether the code of the agent to move in a game is being compiled."""
        return id in self._compiling

    def agent_error(self, id: str) -> str | None:
        """Return the error of the last agent that was to move in a game, or None."""
        return self._errors.get(id)

    def play(self, id: str, action: str | int, ply: int | None = None, *, tokens: Collection[str]) -> HostedGame:
        """Play an action of a person. If an agent is to move next, it starts to compute.

        Args:
            id: The id of the game.
            action: The name or the number of the action.
            ply: The number of moves before the action, to exclude a conflict. None means any number.
            tokens: The tokens of the client.

        Raises:
            UnknownGameError: There is no game with this id.
            SeatError: The client does not have the seat of the player to move.
            ValueError: The action is illegal.
            GameStateError: No person is to move.
            ConflictError: The game has another number of moves.
        """
        hosted = self.apply_clock(id)
        if hosted.next_seat != HUMAN:
            raise GameStateError(f"the game is over ({hosted.ending})" if hosted.ending else "it is an agent's turn")
        check_any_seat(hosted.record, tokens)
        if ply is not None and ply != len(hosted.record.actions):
            played, expected = plies_text(len(hosted.record.actions)), plies_text(ply)
            raise ConflictError(f"The game has {played} now, not {expected}. Reload the game, then play.")
        check_seat(hosted.record, hosted.position.to_move, tokens)
        number = hosted.position.parse_action(action) if isinstance(action, str) else action
        after = self._append(hosted, number)
        self._start_awaited_agent(after)
        return after

    def advance(self, id: str, *, tokens: Collection[str]) -> HostedGame:
        """Let the agent to move play.

        Raises:
            UnknownGameError: There is no game with this id.
            SeatError: The client has no seat in the game.
            GameStateError: No agent is to move.
        """
        hosted = self.get(id)
        check_any_seat(hosted.record, tokens)
        if not hosted.is_for_agent:
            raise GameStateError(f"the game is over ({hosted.ending})" if hosted.ending else "it is a person's turn")
        self._start_agent(id)
        self.listeners.notify(id)  # pages show that the agent is thinking
        return hosted

    def undo(self, id: str, *, tokens: Collection[str]) -> HostedGame:
        """Take back the last turn of the client and all later moves, or propose it if another person has a seat.

        If no person plays, take back the last move. The errors are those of :meth:`propose`.
        """
        return self.propose(id, "takeback", tokens=tokens)

    def propose(self, id: str, kind: Kind, *, tokens: Collection[str]) -> HostedGame:
        """Propose a draw, taking back a turn or a rematch. It happens at once if everybody agrees.

        To agree to the proposal of the other person, propose the same.

        Raises:
            UnknownGameError: There is no game with this id.
            SeatError: The client does not have the seat of a person in the game.
            GameStateError: The proposal is impossible in this state of the game.
        """
        self.apply_clock(id)
        with self._proposing:  # two people who agree at the same time begin one rematch
            hosted = self._states.update(id, lambda hosted: self._proposed(hosted, kind, tokens))
        if kind == "takeback" and not hosted.record.proposal:
            self._cancel_agent(id)
        return hosted

    def _proposed(self, hosted: HostedGame, kind: Kind, tokens: Collection[str]) -> dict[str, Any]:
        """Return the changes of a game by a proposal."""
        players = proposers(hosted.record, tokens)
        mover = whose_turn_is_taken_back(hosted.record, players)
        check_possible(hosted, kind, mover if kind == "takeback" else players)
        if not is_agreed(hosted.record, kind, players):
            return {"proposal": (kind, players[0])}
        if kind == "draw":
            return {"proposal": (), "agreed": True, "over": True, **clock_changes(hosted, time.time())}
        if kind == "takeback":
            changes = taken_back(hosted, mover)
            return {"proposal": (), **changes, **clock_after_takeback(hosted, time.time(), changes["actions"])}
        return {"proposal": (), "rematch": hosted.record.rematch or self._begin_rematch(hosted).record.id}

    def _begin_rematch(self, hosted: HostedGame) -> HostedGame:
        """Create a game with the same players, who have swapped their seats."""
        client = current_client.get()
        self._check_limits(client)
        before = hosted.record
        swapped = {name: getattr(before, name)[::-1] for name in ("seats", "names", "tokens")}
        kept = {name: getattr(before, name) for name in ("clock", "increment")}
        seats, start = swapped.pop("seats"), hosted.positions[0]
        over, more = start.result is not None, {"client": client, **kept, **swapped}
        record = new_record(before.environment, seats, before.seed, before.start, before.owner, over, **more)
        after = HostedGame(record, hosted.game, (start,), hosted.limit)
        self._add(after)
        return after

    def decline(self, id: str, *, tokens: Collection[str]) -> HostedGame:
        """Decline the proposal of the other person, or withdraw an own proposal.

        Raises:
            UnknownGameError: There is no game with this id.
            SeatError: The client does not have the seat of a person in the game.
        """

        def changes(hosted: HostedGame) -> dict[str, Any]:
            proposers(hosted.record, tokens)
            return {"proposal": ()}

        return self._states.update(id, changes)

    def redo(self, id: str, *, tokens: Collection[str]) -> HostedGame:
        """Play the actions that were taken back last again, up to the next turn of a person.

        Raises:
            UnknownGameError: There is no game with this id.
            SeatError: The client does not have the seat of the player to move.
            GameStateError: There is no move to redo.
        """
        hosted = self.apply_clock(id)
        if hosted.ending or not hosted.record.undone:
            raise GameStateError("there is nothing to redo")
        check_seat(hosted.record, hosted.position.to_move, tokens)
        hosted = self._append(hosted, hosted.record.undone[0])
        while hosted.record.undone and hosted.is_awaited:
            hosted = self._append(hosted, hosted.record.undone[0])
        self._start_awaited_agent(hosted)
        return hosted

    def resign(self, id: str, player: int | None = None, *, tokens: Collection[str]) -> HostedGame:
        """Resign for a person.

        Args:
            id: The id of the game.
            player: The player, 0 or 1. None means a person whose seat the client has, first the player to move.
            tokens: The tokens of the client.

        Raises:
            UnknownGameError: There is no game with this id.
            SeatError: The client does not have the seat of the player.
            GameStateError: The game is over, or the player is not a person.
        """

        def changes(hosted: HostedGame) -> dict[str, Any]:
            check_any_seat(hosted.record, tokens)
            who = who_resigns(hosted, player, held_seats(hosted.record, tokens))
            check_seat(hosted.record, who, tokens)
            return {"resigned": who, "over": True, "proposal": (), **clock_changes(hosted, time.time())}

        self.apply_clock(id)
        hosted = self._states.update(id, changes)
        self._cancel_agent(id)
        return hosted

    def take_seat(self, id: str, player: int, token: str) -> HostedGame:
        """Give a free seat to the client with the token ``token``.

        Raises:
            UnknownGameError: There is no game with this id.
            GameStateError: The seat is not free.
        """

        def changes(hosted: HostedGame) -> dict[str, Any]:
            if hosted.record.tokens[player] != FREE:
                raise GameStateError(f"The seat of player {player} is taken.")
            return {"tokens": _with_token(hosted.record, player, hash_of(token))}

        return self._states.update(id, changes)

    def free_seat(self, id: str, player: int, *, tokens: Collection[str]) -> HostedGame:
        """Free the seat of a person, so that anybody with the link to the game can take it.

        Raises:
            UnknownGameError: There is no game with this id.
            SeatError: The client does not have the seat.
            GameStateError: An agent has this seat.
        """

        def changes(hosted: HostedGame) -> dict[str, Any]:
            check_seat(hosted.record, player, tokens)
            if hosted.record.seats[player] != HUMAN:
                raise GameStateError(f"An agent has the seat of player {player}.")
            return {"tokens": _with_token(hosted.record, player, FREE), "proposal": ()}

        return self._states.update(id, changes)

    def delete(self, id: str, *, tokens: Collection[str]) -> None:
        """Delete a game.

        Raises:
            UnknownGameError: There is no game with this id.
            SeatError: The client has no seat in the game, or another client has one.
            ConflictError: The game has changed in the meantime.
        """
        record = self._store.get(id)
        check_all_seats(record, tokens)
        self._store.delete(record)
        self._states.forget(id)
        self._errors.pop(id, None)
        self.listeners.notify(id)

    def change_seats(self, id: str, seats: tuple[str, str], *, tokens: Collection[str]) -> HostedGame:
        """Change the players. If an agent is then to move against a person, it starts to compute.

        Raises:
            UnknownGameError: There is no game with this id.
            SeatError: The client does not have each seat that changes.
            GameStateError: The game is over.
            ValueError: An agent is invalid.
        """
        hosted = self.get(id)
        check_any_seat(hosted.record, tokens)  # before an agent is loaded
        _check_clock(Clock(hosted.record.clock), seats)
        for spec in seats:
            self.agents.check(current_client.get(), hosted.game, spec)

        def changes(hosted: HostedGame) -> dict[str, Any]:
            check_any_seat(hosted.record, tokens)
            if hosted.ending:
                raise GameStateError(f"the game is over ({hosted.ending}), so the players stay")
            for player, spec in enumerate(seats):
                if spec != hosted.record.seats[player]:
                    check_seat(hosted.record, player, tokens)
            return {"seats": seats, "names": _names_after(hosted.record, seats), "proposal": ()}

        after = self._states.update(id, changes)
        self._cancel_agent(id)
        return after

    def resume(self, id: str) -> HostedGame:
        """Return a game. If an agent is to move against a person, it starts to compute unless it already does.

        Raises:
            UnknownGameError: There is no game with this id.
        """
        hosted = self.apply_clock(id)
        if id not in self._errors:
            self._start_awaited_agent(hosted)
        return hosted

    def expire(self) -> int:
        """Delete abandoned games, and return the number of deleted games."""
        return self._store.expire(time.time())

    def _check_limits(self, client: str) -> None:
        since = time.time() - _HOUR
        if client and self._store.count_unfinished(since, client) >= self.limits.client_games:
            raise ClientLimitError(
                f"You have {self.limits.client_games:,} unfinished games. Finish or delete one, or retry in an hour."
            )
        if self._store.count_unfinished(since) >= self.limits.games:
            raise BusyError(
                f"The server has {self.limits.games:,} unfinished games, as many as it allows. Retry later."
            )

    def _start_awaited_agent(self, hosted: HostedGame) -> None:
        """Start the agent to move if it plays against a person."""
        if hosted.is_awaited:
            self._start_agent(hosted.record.id)

    def _start_agent(self, id: str) -> None:
        self._errors.pop(id, None)
        self._jobs.start(id, current_client.get())

    def _cancel_agent(self, id: str) -> None:
        """Cancel the agent that computes a move in an earlier state of a game, and start the agent to move."""
        self._jobs.cancel(id)
        self._errors.pop(id, None)
        self._start_awaited_agent(self.get(id))  # read again, because another client may have played

    def _record_error(self, id: str, error: Exception) -> None:
        self._errors[id] = str(error)

    def _play_agent_move(self, id: str, canceled: threading.Event) -> bool:
        """Play a move of an agent. Return whether an agent is to move next against a person."""
        hosted = self.apply_clock(id)
        spec = hosted.next_seat
        if spec is None or spec == HUMAN:
            return False
        seed = int(np.random.SeedSequence([hosted.record.seed, len(hosted.record.actions)]).generate_state(1)[0])
        try:
            with self.agents.process(hosted.game, spec) as process:
                action = process.decide(hosted.position, spec, seed, canceled, lambda: self._set_compiling(id))
        finally:
            self._compiling.discard(id)
        self.apply_clock(id)  # the agent may have exceeded its time
        try:
            after = self._append(hosted, action)
        except ConflictError:  # undo or resignation: the move is void
            return HUMAN in hosted.record.seats
        self._errors.pop(id, None)  # of an earlier attempt
        return after.is_awaited

    def _set_compiling(self, id: str) -> None:
        self._compiling.add(id)
        self.listeners.notify(id)

    def _append(self, hosted: HostedGame, action: int) -> HostedGame:
        position = hosted.position.play(action)
        actions = (*hosted.record.actions, action)
        over = position.result is not None or len(actions) >= hosted.limit
        wanted: dict[str, Any] = {"actions": actions, "over": over, "undone": left_to_redo(hosted.record, action)}
        wanted |= {"proposal": after_move(hosted.record, hosted.position.to_move)}
        wanted |= clock_changes(hosted, time.time(), position)
        return self._states.write(hosted, (*hosted.positions, position), wanted)


def _check_clock(clock: Clock, seats: tuple[str, str]) -> None:
    if clock.increment and not clock.seconds:
        raise ValueError(f"increment={clock.increment:g} needs minutes")
    if clock.seconds and HUMAN not in seats:
        raise ValueError("A clock needs a person who plays. Leave it out, or play yourself.")


def _with_token(record: GameRecord, player: int, token: str) -> tuple[str, str]:
    first, second = (token if seat == player else kept for seat, kept in enumerate(record.tokens))
    return first, second


def _names_after(record: GameRecord, seats: tuple[str, str]) -> tuple[str, str]:
    """Return the names after a change of the players. They follow swapped players, and a new player has no name."""
    first, second = record.names
    if seats != record.seats and seats == record.seats[::-1]:
        return second, first
    kept = [name if seats[player] == record.seats[player] else "" for player, name in enumerate((first, second))]
    return kept[0], kept[1]
