"""Analyses of positions by agents: searches in worker processes that report their progress to one client each."""

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import suppress
from time import monotonic
from typing import Any

from ci_envs.arena.analysis import exact_scores
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.solver.solution import HORIZON
from ci_envs.web.analysis_report import AnalysisReport
from ci_envs.web.game_service import GameService
from ci_envs.web.limits import BusyError, ClientLimitError, current_client
from ci_envs.web.schemas import ExactValue

_SHARED_SECONDS = 5.0  # time limit of a search while another one waits for a process
_EXACT_SECONDS = 3.0  # time limit for solving a position
_SOLVED_GAMES = 256  # maximum number of games that are known to be compiled


class _SolvingStoppedError(Exception):
    """The signal that stops solving a position after the time limit."""


class AnalysisService:
    """Searches by agents, each for one client, and exact values of positions."""

    def __init__(self, service: GameService) -> None:
        self._service = service
        self._limits = service.limits
        self._processes = service.analysts
        self._searches: Counter[str] = Counter()  # by client
        self._solved: set[Game] = set()
        self._closing = threading.Event()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Stop solving positions. The game service ends the searches."""
        self._closing.set()

    @property
    def running(self) -> int:
        """Return the number of searches that are running."""
        return self._searches.total()

    async def start(self, environment: str, text: str, spec: str) -> AsyncIterator[AnalysisReport]:
        """Start a search of a position by an agent, and return its reports.

        Closing the iterator cancels the search.

        Raises:
            ValueError: The environment, the position or the agent is invalid, the game is over, or the agent cannot
                analyse.
            ClientLimitError: The client has too many searches.
            BusyError: All clients together have too many searches.
        """
        client = current_client.get()
        position = await asyncio.to_thread(self._position, environment, text)
        if not await asyncio.to_thread(self._processes.check, client, position.game, spec):
            raise ValueError(f"agent {spec} cannot analyse: it has no method 'analyse'")
        self._count(client)
        loop, reports, stopped = asyncio.get_running_loop(), asyncio.Queue[Any](), threading.Event()

        def put(report: AnalysisReport | BaseException | None) -> None:
            with suppress(RuntimeError):  # the event loop is closed: the server has stopped
                loop.call_soon_threadsafe(reports.put_nowait, report)

        def work() -> None:
            begun = monotonic()
            with self._processes.process(position.game, spec) as process:
                for report in process.analyse(position, spec, stopped):
                    put(AnalysisReport.model_validate(report))
                    if self._processes.is_waiting and monotonic() - begun >= _SHARED_SECONDS:
                        stopped.set()

        def end(search: Future[None]) -> None:
            with self._lock:
                self._searches[client] -= 1
                self._searches += Counter()  # removes clients without searches
            put(BusyError("The search was canceled. Retry.") if search.cancelled() else search.exception())

        search = self._processes.submit(client, work)
        search.add_done_callback(end)

        def cancel() -> None:
            stopped.set()
            search.cancel()  # if it waits for a process

        return _received(reports, cancel)

    def exact_values(self, environment: str, text: str) -> list[ExactValue]:
        """Return the exact value of each action, or an empty list if the position cannot be solved in 3 s.

        Raises:
            ValueError: The environment or the position is invalid, or the game is over.
        """
        position = self._position(environment, text)
        scores = self.exact_scores(position)
        legal = position.legal_actions() if scores else ()
        return [
            ExactValue(
                number=action,
                name=position.action_name(action),
                value=(scores[action] > 0) - (scores[action] < 0),
                plies=HORIZON - abs(scores[action]) if abs(scores[action]) > 1 else None,
            )
            for action in legal
        ]

    def exact_scores(self, position: Position) -> list[int]:
        """Return the exact score of each action, or an empty list if the position cannot be solved in 3 s.

        The first time for a game, the solver is compiled and reads its tables. If this takes too long, it tries again.

        Args:
            position: A position that is not over.
        """
        is_first = position.game not in self._solved
        scores = self._scores_in_time(position)
        if scores is None and is_first:
            scores = self._scores_in_time(position)
        if len(self._solved) >= _SOLVED_GAMES:
            self._solved.clear()
        self._solved.add(position.game)
        return scores or []

    def _scores_in_time(self, position: Position) -> list[int] | None:
        """Return the exact score of each action, none if they are unknown, or None after the time limit."""
        end = monotonic() + _EXACT_SECONDS

        def check_time(done: int, total: int | None) -> None:
            if self._closing.is_set() or monotonic() >= end:
                raise _SolvingStoppedError

        try:
            return exact_scores(position, check_time)
        except _SolvingStoppedError:
            return None

    def _count(self, client: str) -> None:
        """Count a new search.

        Raises:
            ClientLimitError: The client has too many searches.
            BusyError: All clients together have too many searches.
        """
        with self._lock:
            if client and self._searches[client] >= self._limits.client_searches:
                raise ClientLimitError(
                    f"You have {self._limits.client_searches} searches running. Stop one, then retry."
                )
            if self._searches.total() >= self._limits.searches:
                raise BusyError(f"The server has {self._limits.searches} searches running. Retry in a few seconds.")
            self._searches[client] += 1

    def _position(self, environment: str, text: str) -> Position:
        game, _ = self._service.catalog.game(environment)
        return open_position(game, text)


async def _received(reports: "asyncio.Queue[Any]", cancel: Callable[[], None]) -> AsyncIterator[AnalysisReport]:
    try:
        while (report := await reports.get()) is not None:
            if isinstance(report, Exception):
                raise report
            yield report
    finally:
        cancel()


def open_position(game: Game, text: str) -> Position:
    """Return the position of a text. The game must not be over.

    Raises:
        ValueError: The text is not a position of the game, or the game is over.
    """
    position = Position.from_text(game, text)
    if position.result is not None:
        raise ValueError(
            f"the game is over in {text!r}, so there is no position to analyse. Choose an earlier position"
        )
    return position
