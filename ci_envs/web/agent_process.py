"""A worker process of the server, in which agents compute, with limits of time and memory."""

import pickle
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from threading import Event
from time import monotonic
from typing import IO, Any

import cloudpickle

from ci_envs.agent_interface.child_process import (
    ChildProcess,
    ProcessError,
    ProcessLimits,
    ProcessTimeoutError,
    Program,
)
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.registry.agents import AGENTS
from ci_envs.web.puzzles import Puzzle

DECISION_SECONDS = 10.0
"""The time limit of a decision, whatever the options of the agent are."""

SEARCH_SECONDS = 30.0
"""The time limit of a search. A search that gives no report within :data:`DECISION_SECONDS` ends too."""

_FIRST_SECONDS = 60.0  # additional time for the first job of a kind of an agent in a process, which can compile code
_LIMITS = ProcessLimits(move_seconds=DECISION_SECONDS, start_seconds=_FIRST_SECONDS, memory_mb=1536)
_KEPT_MB = 768  # a process with more memory after a job is replaced


class AgentError(Exception):
    """The error of an agent, or of the process in which it computes, as a message for users."""


class AgentProcess:
    """A process that does one job at a time. After an error of the process itself it is stopped.

    Attributes:
        known: the games and spec strings of the agents that the process has made.
        began: the time at which the process was started, as of ``time.monotonic``.
        compiled: the jobs for which the process has compiled code: their kind, game and spec string.
    """

    def __init__(self, listed: Mapping[str, str], start: Callable[[IO[bytes]], Program]) -> None:
        """Start the process.

        Args:
            listed: The agents that the owner of the server adds.
            start: Starts the program of a worker process.

        Raises:
            ProcessError: The process cannot be started.
        """
        self._process = ChildProcess(start, _LIMITS)
        self._is_killed, self._killed_because = False, ""
        registered = {name: b64encode(cloudpickle.dumps(one)).decode() for name, one in AGENTS.registered.items()}
        self._process.send({"path": sys.path, "registered": registered, "listed": dict(listed)})
        self._is_ready = False
        self.known: set[tuple[Game, str]] = set()
        self.began = monotonic()
        self.compiled: set[tuple[str, Game, str]] = set()
        self._done: set[tuple[str, Game, str]] = set()  # the jobs that need no compilation any more

    @property
    def is_usable(self) -> bool:
        """Return whether the process can do another job."""
        return not self._is_killed and self._process.is_running and self._process.memory_mb() <= _KEPT_MB

    def has_code(self, game: Game, spec: str) -> bool:
        """Return whether the process has made an agent with this name for a game, with any options."""
        name = spec.partition(":")[0]
        return any(one == game and other.partition(":")[0] == name for one, other in self.known)

    def wait_until_ready(self) -> None:
        """Wait until the process can begin a job.

        Raises:
            ProcessError: The process has failed.
        """
        if not self._is_ready:
            self._process.receive()
            self._is_ready = True

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def kill(self, reason: str = "") -> None:
        """Kill the process from any thread. The job that it does fails.

        Args:
            reason: The end of the message for users, such as "needed too much memory".
        """
        self._is_killed, self._killed_because = True, reason
        self._process.kill()

    def stop(self) -> None:
        """Stop the process. It must have no job."""
        self._process.stop()

    def can_analyse(self, game: Game, spec: str) -> bool:
        """Make an agent, and return whether it can analyse positions.

        Raises:
            ValueError: The agent or an option is invalid, or the agent does not play this game.
            ImportError: The agent needs a package that is not installed.
            AgentError: The agent or the process has failed.
        """
        return bool(self._first_answer({"job": "make"}, game, spec)["analyses"])

    def decide(
        self,
        position: Position,
        spec: str,
        seed: int,
        canceled: Event,
        on_compiling: Callable[[], None] = lambda: None,
    ) -> int:
        """Return the action of an agent.

        Args:
            position: The position.
            spec: The agent.
            seed: The seed of its random numbers.
            canceled: Ends the computation within a second.
            on_compiling: Called when the process begins to compile code.

        Raises:
            AgentError: The agent or the process has failed, or the agent gave no answer in time.
        """
        job = {"job": "decide", "position": _words(position), "seed": seed}
        return int(self._first_answer(job, position.game, spec, canceled, on_compiling)["action"])

    def puzzle(self, game: Game, seed: int) -> Puzzle:
        """Return a puzzle (:func:`~ci_envs.web.puzzles.make_puzzle`).

        Raises:
            ValueError: The game has no puzzles, or none was found.
            AgentError: The process has failed, or gave no answer in time.
        """
        found = self._first_answer({"job": "puzzle", "seed": seed}, game, "puzzle")
        return Puzzle(Position(game, *found["position"]), found["solution"], found["plies"])

    def analyse(self, position: Position, spec: str, ended: Event) -> Iterator[dict[str, Any]]:
        """Yield the reports of a search, at least one.

        Args:
            position: The position.
            spec: The agent.
            ended: Ends the search after its next report, or at most a second later.

        Raises:
            AgentError: The agent or the process has failed, or the agent gave no report in time.
        """
        end = monotonic() + SEARCH_SECONDS
        answer = self._first_answer({"job": "analyse", "position": _words(position)}, position.game, spec, ended)
        while "done" not in answer:
            yield answer
            try:
                if ended.is_set():
                    self._process.send({"job": "stop"})
                answer = _checked(self._process.receive(max(0.0, end - monotonic()), ended))
            except ProcessError as error:
                if ended.is_set() or monotonic() >= end:  # the last report is the result
                    return
                raise self._agent_error(spec, error) from None

    def _first_answer(
        self,
        job: dict[str, Any],
        game: Game,
        spec: str,
        canceled: Event | None = None,
        on_compiling: Callable[[], None] = lambda: None,
    ) -> dict[str, Any]:
        kind = job["job"], game, spec
        limit = DECISION_SECONDS + (0.0 if kind in self._done else _FIRST_SECONDS)
        try:
            self.wait_until_ready()
            self._process.send({**job, "game": b64encode(pickle.dumps(game)).decode(), "spec": spec})
            end = monotonic() + limit
            while "compiling" in (answer := _checked(self._process.receive(end - monotonic(), canceled))):
                self.compiled.add(kind)
                on_compiling()
        except ProcessTimeoutError:  # the time after the report of a compilation is only a part of the limit
            raise self._agent_error(spec, f"gave no answer within {limit:g} s") from None
        except ProcessError as error:
            raise self._agent_error(spec, error) from None
        self.known.add((game, spec))
        self._done.add(kind)
        return answer

    def _agent_error(self, spec: str, error: ProcessError | str) -> AgentError:
        return AgentError(f"The agent {spec!r} {self._killed_because or error}.")


def _words(position: Position) -> tuple[int, int, int]:
    return position.own, position.opp, position.to_move


def _checked(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer, or raise its error."""
    if "error" not in answer:
        return answer
    if answer["type"] in ("ValueError", "ImportError", "ModuleNotFoundError"):
        raise (ValueError if answer["type"] == "ValueError" else ImportError)(answer["text"])
    raise AgentError(answer["error"])
