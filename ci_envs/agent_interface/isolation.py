"""Agents in processes of their own, with limits: a failure there loses a game, but never ends the tournament.

The process reads one line of JSON for each decision, and answers with one line. The first line announces the game::

    {"game": "TicTacToe-v0", "seed": 7, "move_seconds": 10.0, "start_seconds": 30.0, "memory_mb": 2048}
    {"game": "TicTacToe-v0", "position": ".../.../... X", "legal": ["a1", "b1"], "seat": 0, "game_index": 17}

It has no answer. The answer to the other lines is ``{"action": "a1"}``, where the action can also be its number. An
answer ``{"error": "..."}`` gives a reason for having no action.
"""

import sys
import weakref
from base64 import b64encode
from collections.abc import Sequence
from threading import RLock
from typing import Annotated, Any

import cloudpickle
import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.child_process import ChildProcess, ProcessError, ProcessLimits, run_command, split_command
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.observations import Observation, read_position
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.registry.games import registered, resolve
from ci_envs.registry.options import Option, validated

_MOST_FAILURES = 3

HOST = "ci_envs.agent_interface.host"
"""The module that runs an agent in Python in its own process."""


class IsolatedAgent(Agent):
    """An agent in a process of its own. After a failure the next decision starts a new process.

    After three failures one after the other, no process is started any more.
    """

    def __init__(self, game: Game, *, limits: ProcessLimits, seed: int | None = None) -> None:
        """Make the agent. Its process starts with the first decision.

        Raises:
            ValueError: a limit is not allowed.
        """
        self.limits = limits.checked()
        self._failures, self._last_failure = 0, ""
        self._process: ChildProcess | None = None
        self._lock = RLock()  # of the process: the answer to a question is the next line
        self._name = _name_of(game)
        super().__init__(game, seed=seed)
        self.start_games(1, np.zeros(1, np.int8), np.zeros(1, np.uint64))

    def command(self) -> Sequence[str]:
        """Return the command of a new process."""
        raise NotImplementedError

    def more(self) -> dict[str, Any]:
        """Return further entries of the first line."""
        return {}

    @override
    def reseed(self, seed: int | None) -> None:
        super().reseed(seed)
        self._seed = int(self.rng.integers(2**31)) if seed is None else seed
        self._begin_again()

    def _begin_again(self) -> None:
        """Let the process begin with the new seed."""
        self.close()

    @override
    def start_games(self, n: int, seats: NDArray[np.int8], seeds: NDArray[np.uint64]) -> None:
        self._games = {"seats": seats.tolist(), "seeds": seeds.tolist()}
        self._begin_games()

    def _begin_games(self) -> None:
        """Tell the process of the games. Other programs than ours learn of them by the decisions."""

    @override
    def act(self, observation: Observation) -> int:
        """Return the answer of the process.

        Raises:
            ProcessError: the process has failed.
        """
        index = int(np.asarray(observation.get("game_index", 0)))
        seat = self._games["seats"][index]
        position = read_position(self.game, observation, seat)
        names = [position.action_name(action) for action in position.legal_actions()]
        question = {"game": self._name, "position": position.to_text(), "legal": names}
        with self._lock:
            answer = self._ask({**question, "seat": seat, "game_index": index})
            if answer.get("error") is not None:
                self._failures = 0  # the process works
                raise ProcessError(str(answer["error"]))
            action = self._action_of(answer, position)
            self._failures = 0
        return action

    def _action_of(self, answer: dict[str, Any], position: Position) -> int:
        """Return the number of the action of an answer, legal or not.

        Raises:
            ProcessError: there is none.
        """
        action = answer.get("action")
        if isinstance(action, int) and not isinstance(action, bool):
            return action
        if isinstance(action, str):
            try:
                return position.parse_action(action)
            except ValueError as error:
                raise ProcessError(f"answered {action!r}: {error}") from None
        raise ProcessError(f"answered {answer!r}, without the name or number of an action")

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        if self._failures == _MOST_FAILURES:
            raise ProcessError(f"{self._last_failure}; after {_MOST_FAILURES} failures it is not started again")
        try:
            if self._process is None or not self._process.is_own:
                self._process = ChildProcess(run_command(self.command()), self.limits)
                weakref.finalize(self, self._process.stop)
                self._process.send({"game": self._name, "seed": self._seed, **self.limits._asdict(), **self.more()})
                self._begin_games()
            if self._process is None:
                raise ProcessError("ended after its start")
            self._process.send(question)
            answer = self._process.receive()
        except ProcessError as error:
            self._fail(error)
            raise
        return answer

    def _fail(self, error: ProcessError) -> None:
        self.close()
        self._failures, self._last_failure = self._failures + 1, str(error)

    def close(self) -> None:
        """Stop the process, if there is one."""
        with self._lock:
            if self._process is not None:
                self._process.stop()
            self._process = None

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("_process", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _process=None, _lock=RLock())


class ProcessAgent(IsolatedAgent):
    """Agent that plays as another program answers, in any language: ``process:COMMAND``.

    For each decision the program reads one line of JSON and writes one line. The module
    :mod:`ci_envs.agent_interface.isolation` describes them.
    """

    @validated
    def __init__(
        self,
        game: Game,
        command: Annotated[str, Option("program and its arguments; a command with commas needs quotes")],
        *,
        seed: int | None = None,
        **limits: Annotated[Any, ProcessLimits],
    ) -> None:
        """Make the agent. The program starts with the first decision.

        Args:
            **limits: the fields of :class:`~ci_envs.agent_interface.child_process.ProcessLimits`.

        Raises:
            ValueError: the command is empty, or a limit is not allowed.
        """
        self._command = split_command("process", command, "./my_program")
        super().__init__(game, limits=ProcessLimits(**limits), seed=seed)

    @override
    def _action_of(self, answer: dict[str, Any], position: Position) -> int:
        """Return the number of the action. After an illegal one the next answer can be one to an earlier question."""
        try:
            action = super()._action_of(answer, position)
            if action not in position.legal_actions():
                raise ProcessError(f"answered the illegal action {answer['action']!r}")
        except ProcessError as error:
            self._fail(error)
            raise
        return action

    @override
    def command(self) -> Sequence[str]:
        return self._command


class HostedAgent(IsolatedAgent):
    """An agent that an object of Python makes (:func:`~ci_envs.agent_interface.making.as_agent`) in another process."""

    def __init__(self, game: Game, thing: Any, *, limits: ProcessLimits, seed: int | None = None) -> None:
        """Make the agent. Its process gets a copy of ``thing``.

        Raises:
            ValueError: a limit is not allowed, or ``thing`` cannot be pickled.
        """
        try:
            self._pickled = cloudpickle.dumps((game, thing))
        except Exception as error:  # an object can raise anything when it is pickled
            raise ValueError(f"{thing!r} cannot be sent to another process: {error}") from None
        super().__init__(game, limits=limits, seed=seed)

    @override
    def command(self) -> Sequence[str]:
        return [sys.executable, "-m", HOST]

    @override
    def more(self) -> dict[str, Any]:
        return {"agent": b64encode(self._pickled).decode(), "path": sys.path}

    @override
    def _begin_again(self) -> None:
        self._tell({"seed": self._seed})

    @override
    def _begin_games(self) -> None:
        self._tell(self._games)

    def _tell(self, message: dict[str, Any]) -> None:
        """Send a line without an answer. If the process has ended, the next decision starts another one."""
        with self._lock:
            if self._process is None:
                return
            try:
                self._process.send(message)
            except ProcessError:
                self._process = None


def _name_of(game: Game) -> str:
    """Return the id of a game, or its text if none of the registered ids has its parameters."""
    return next((id for id in registered() if _is_id_of(id, game)), repr(game))


def _is_id_of(id: str, game: Game) -> bool:
    try:
        return resolve(id)[1] == game
    except Exception:  # the game of another id of the user cannot be imported or made
        return False
