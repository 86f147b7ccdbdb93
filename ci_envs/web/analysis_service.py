"""Agents that think aloud about a position, in threads of their own, for as long as somebody listens."""

import asyncio
import math
import threading
from collections import Counter
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import monotonic
from typing import Any

from ci_envs.agent.analysis import Analysis, Branch
from ci_envs.agent.capabilities import analyses, as_analyst
from ci_envs.arena.analysis import exact_scores
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.solver.solution import HORIZON
from ci_envs.web.game_service import BusyError, GameService
from ci_envs.web.limits import ClientLimitError, current_client
from ci_envs.web.schemas import AnalysedAction, AnalysisReport, ExactValue, TreeBranch

_SECONDS = 30.0  # of a search
_EXACT_SECONDS = 3.0  # of solving a position
_DEPTH, _WIDTH = 4, 8  # of the tree that is told


class _SolvingStoppedError(Exception):
    """Solving a position would take too long."""


class AnalysisService:
    """Searches that go on, each for one listener."""

    def __init__(self, service: GameService) -> None:
        self._service = service
        self._limits = service.limits
        self._pool = ThreadPoolExecutor(service.limits.searches, thread_name_prefix="search")  # none waits for another
        self._searches: Counter[str] = Counter()  # by client
        self._closing = threading.Event()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Stop all searches, each after what it does at the moment."""
        self._closing.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    @property
    def running(self) -> int:
        """Return the number of searches that are running."""
        return self._searches.total()

    async def begin(self, environment: str, text: str, spec: str) -> AsyncIterator[AnalysisReport]:
        """Start a search of a position by an agent, and return its analyses.

        Disconnecting cancels the search.

        Raises:
            ValueError: the environment, the position or the agent is refused, the game is over, or the agent cannot
                analyse.
            ClientLimitError: the client has too many searches.
            BusyError: all clients together have too many searches.
        """
        client = current_client.get()
        position = await asyncio.to_thread(self._position, environment, text)
        agent = await asyncio.to_thread(self._service.acquire_agent, environment, position.game, spec)
        analyst = as_analyst(agent, spec)
        self._count(client)
        loop, heard, stopped = asyncio.get_running_loop(), asyncio.Queue[Any](), threading.Event()

        def tell(what: AnalysisReport | Exception | None) -> None:
            with suppress(RuntimeError):  # the loop was closed: nobody listens
                loop.call_soon_threadsafe(heard.put_nowait, what)

        def work() -> None:
            end = monotonic() + _SECONDS
            try:
                for analysis in analyses(analyst, position):
                    tell(report_of(analysis, position))
                    if stopped.is_set() or self._closing.is_set() or monotonic() >= end:
                        break
                self._service.release_agent(environment, spec, agent)
                tell(None)
            except Exception as error:  # of whatever agent
                tell(error)
            finally:
                with self._lock:
                    self._searches[client] -= 1
                    self._searches += Counter()  # without clients that have no search

        self._pool.submit(work)
        return _heard(heard, stopped)

    def exact_values(self, environment: str, text: str) -> list[ExactValue]:
        """Return the exact value of each action; an empty list if the position cannot be solved in seconds.

        Raises:
            ValueError: the environment or the position is refused, or the game is over.
        """
        position = self._position(environment, text)
        end = monotonic() + _EXACT_SECONDS

        def check_time(done: int, total: int | None) -> None:
            if self._closing.is_set() or monotonic() >= end:
                raise _SolvingStoppedError

        try:
            scores = exact_scores(position, check_time)
        except _SolvingStoppedError:
            return []
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

    def _count(self, client: str) -> None:
        """Count a search that begins.

        Raises:
            ClientLimitError: the client has too many searches.
            BusyError: all clients together have too many searches.
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


async def _heard(thoughts: "asyncio.Queue[Any]", stopped: threading.Event) -> AsyncIterator[AnalysisReport]:
    try:
        while (thought := await thoughts.get()) is not None:
            if isinstance(thought, Exception):
                raise thought
            yield thought
    finally:
        stopped.set()


def open_position(game: Game, text: str) -> Position:
    """Return the position of a text. The game must not be over in it.

    Raises:
        ValueError: it is malformed, no position of the game, or over.
    """
    position = Position.from_text(game, text)
    if position.result is not None:
        raise ValueError(f"the game is over in {text!r}: there is nothing to think about")
    return position


def report_of(analysis: Analysis, position: Position) -> AnalysisReport:
    """Return an analysis in the form of the REST interface."""
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
        principal_variation=line,
        actions=actions,
        tree=[] if analysis.tree is None else _tree(analysis.tree(_DEPTH, _WIDTH), position),
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
