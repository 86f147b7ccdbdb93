"""Analyses of positions by agents: searches in threads that report their progress to one client each."""

import asyncio
import math
import threading
from collections import Counter
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import monotonic
from typing import Any

from ci_envs.agent_interface.analysis import Analysis, Branch
from ci_envs.agent_interface.capabilities import analyses, as_analyst
from ci_envs.arena.analysis import exact_scores
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.solver.solution import HORIZON
from ci_envs.web.game_service import BusyError, GameService
from ci_envs.web.limits import ClientLimitError, current_client
from ci_envs.web.schemas import AnalysedAction, AnalysisReport, ExactValue, TreeBranch

_SECONDS = 30.0  # time limit of a search
_EXACT_SECONDS = 3.0  # time limit for solving a position
_SOLVED_GAMES = 256  # maximum number of games that are known to be compiled
_TREE_DEPTH, _TREE_WIDTH = 4, 8  # of the part of the search tree in a report


class _SolvingStoppedError(Exception):
    """The signal that stops solving a position after the time limit."""


class AnalysisService:
    """Searches by agents, each for one client, and exact values of positions."""

    def __init__(self, service: GameService) -> None:
        self._service = service
        self._limits = service.limits
        self._pool = ThreadPoolExecutor(
            service.limits.searches, thread_name_prefix="search"
        )  # a search never waits for a thread
        self._searches: Counter[str] = Counter()  # by client
        self._solved: set[Game] = set()
        self._closing = threading.Event()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Stop all searches after their next report, and wait for them."""
        self._closing.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

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
        agent = await asyncio.to_thread(self._service.agents.acquire, environment, position.game, spec)
        analyst = as_analyst(agent, spec)
        self._count(client)
        loop, reports, stopped = asyncio.get_running_loop(), asyncio.Queue[Any](), threading.Event()

        def put(report: AnalysisReport | Exception | None) -> None:
            with suppress(RuntimeError):  # the event loop is closed: the server has stopped
                loop.call_soon_threadsafe(reports.put_nowait, report)

        def work() -> None:
            end = monotonic() + _SECONDS
            try:
                for analysis in analyses(analyst, position):
                    put(report_of(analysis, position))
                    if stopped.is_set() or self._closing.is_set() or monotonic() >= end:
                        break
                self._service.agents.release(environment, spec, agent)
                put(None)
            except Exception as error:  # an agent can raise anything
                put(error)
            finally:
                with self._lock:
                    self._searches[client] -= 1
                    self._searches += Counter()  # removes clients without searches

        self._pool.submit(work)
        return _received(reports, stopped)

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


async def _received(reports: "asyncio.Queue[Any]", stopped: threading.Event) -> AsyncIterator[AnalysisReport]:
    try:
        while (report := await reports.get()) is not None:
            if isinstance(report, Exception):
                raise report
            yield report
    finally:
        stopped.set()


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


def report_of(analysis: Analysis, position: Position) -> AnalysisReport:
    """Return an analysis as a report of the REST API."""
    visits, priors = analysis.visits, analysis.priors
    total = None if visits is None else max(1, int(visits.sum()))
    actions = [
        AnalysedAction(
            number=action,
            name=position.action_name(action),
            value=_finite(value),
            visits=None if visits is None else int(visits[action]),
            share=None if visits is None or total is None else float(visits[action]) / total,
            prior=None if priors is None else float(priors[action]),
        )
        for action, value in analysis.action_values.items()
    ]
    line = _names(position, analysis.principal_variation)
    return AnalysisReport(
        value=float(analysis.value),
        win_probability=(analysis.value + 1) / 2 if analysis.tree is not None else None,
        simulations=total,
        depth=analysis.depth,
        nodes=analysis.nodes,
        tables=analysis.tables,
        principal_variation=line,
        actions=actions,
        tree=[] if analysis.tree is None else _tree(analysis.tree(_TREE_DEPTH, _TREE_WIDTH), position),
    )


def _tree(branches: tuple[Branch, ...], position: Position) -> list[TreeBranch]:
    return [
        TreeBranch(
            number=branch.action,
            name=position.action_name(branch.action),
            visits=branch.visits,
            value=_finite(branch.value),
            prior=branch.prior,
            proven=branch.proven,
            children=_tree(branch.children, position.play(branch.action)) if branch.children else [],
        )
        for branch in branches
    ]


def _names(position: Position, actions: tuple[int, ...]) -> list[str]:
    return [position.action_name(action) for action in actions]


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
