"""The program of a worker process of the server, in which agents compute: ``python -m ci_envs.web.agent_worker``.

It reads lines of JSON. The first line describes the server, and the worker answers ``{"ready": true}``. Each other line
is a job, of which the worker does one at a time:

* ``make`` makes an agent, and answers whether the agent can analyse positions.
* ``decide`` answers with the action of an agent.
* ``analyse`` answers with a line for each report of a search, and then with ``{"done": true}``. The line
  ``{"job": "stop"}`` ends the search after its next report.
* ``puzzle`` answers with a puzzle of a game.

Before the first answer to a job, the line ``{"compiling": true}`` says that Numba compiles code.

The answer to a job that fails is ``{"error": "...", "type": "ValueError", "text": "..."}``.
"""

import gc
import json
import os
import pickle
import sys
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic
from typing import IO, Any

import numpy as np

from ci_envs.agent_interface.capabilities import Analyst, analyses, as_analyst
from ci_envs.agent_interface.child_process import memory_mb
from ci_envs.agent_interface.decision import decide
from ci_envs.agent_interface.interface import Agent
from ci_envs.games.game import Game
from ci_envs.games.position import Position
from ci_envs.kernels.compilations import notify_of_compilations
from ci_envs.registry.agents import AGENTS
from ci_envs.registry.user_code import reason
from ci_envs.web.analysis_report import report_of
from ci_envs.web.catalog import Catalog
from ci_envs.web.puzzles import make_puzzle

_MOST_AGENTS = 16  # agents that the process keeps for later jobs
_MOST_MB = 384  # memory of the process in units of 2^20 bytes from which on it keeps only the last agent
_PAUSE = 0.1  # seconds between two reports of a search


def main() -> None:
    """Answer the jobs of standard input until it ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what an agent prints must not be taken for an answer
    jobs, stopped = SimpleQueue[dict[str, Any]](), Event()
    Thread(target=_read, args=(jobs, stopped), daemon=True).start()
    agents = _Agents(jobs.get())
    gc.freeze()  # the modules are never garbage, and a collection would visit all their objects
    answers.write('{"ready": true}\n')
    compiling = _CompilingReport(answers)
    notify_of_compilations(compiling.write)
    while True:
        job = jobs.get()
        compiling.is_due = True
        for answer in _answers(agents, job, stopped):
            compiling.is_due = False
            answers.write(json.dumps(answer) + "\n")


class _CompilingReport:
    """The line that says that code is compiled, at most once before the first answer to a job."""

    def __init__(self, answers: IO[str]) -> None:
        self._answers, self.is_due = answers, False

    def write(self) -> None:
        """Write the line if it is due."""
        if self.is_due:
            self.is_due = False
            self._answers.write('{"compiling": true}\n')


def _read(jobs: "SimpleQueue[dict[str, Any]]", stopped: Event) -> None:
    """Put the lines of standard input into a queue. At its end the server has ended, and so does this process."""
    for line in sys.stdin:
        job = json.loads(line)
        if job.get("job") == "stop":
            stopped.set()
        else:
            stopped.clear()
            jobs.put(job)
    os._exit(0)


class _Agents:
    """The agents of the worker, by game and spec string."""

    def __init__(self, server: dict[str, Any]) -> None:
        sys.path += [folder for folder in server["path"] if folder not in sys.path]
        for name, agent in server["registered"].items():
            with suppress(ImportError, AttributeError):  # an agent whose module is not found is unknown here
                AGENTS.registered[name] = pickle.loads(b64decode(agent))
        self._catalog = Catalog(server["listed"])
        self._made: dict[tuple[str, str], Agent] = {}  # the last used at the end

    def take(self, job: dict[str, Any]) -> Agent:
        """Return the agent of a job. It is made again for the next job unless it is kept."""
        agent = self._made.pop((job["game"], job["spec"]), None)
        if agent is None:
            agent = self._catalog.agent(job["spec"], _game_of(job))
        return agent

    def keep(self, job: dict[str, Any], agent: Agent) -> None:
        """Keep the agent of a job that did not fail, and of the others as many as the memory allows."""
        self._made[job["game"], job["spec"]] = agent
        while len(self._made) > 1 and (len(self._made) > _MOST_AGENTS or memory_mb(os.getpid()) > _MOST_MB):
            del self._made[next(iter(self._made))]
            gc.collect()


def _answers(agents: _Agents, job: dict[str, Any], stopped: Event) -> Iterator[dict[str, Any]]:
    try:
        if job["job"] == "puzzle":
            yield _puzzle(job)
            return
        agent = agents.take(job)
        if job["job"] == "make":
            yield {"analyses": isinstance(agent, Analyst)}
        elif job["job"] == "decide":
            yield {"action": _decide(agent, job)}
        else:
            yield from _reports(as_analyst(agent, job["spec"]), Position(agent.game, *job["position"]), stopped)
            yield {"done": True}
        agents.keep(job, agent)
    except Exception as error:  # an agent can raise anything
        yield {"error": reason(error), "type": type(error).__name__, "text": str(error)}


def _game_of(job: dict[str, Any]) -> Game:
    game: Game = pickle.loads(b64decode(job["game"]))  # the server wrote it
    return game


def _puzzle(job: dict[str, Any]) -> dict[str, Any]:
    found = make_puzzle(_game_of(job), job["seed"])
    position = found.position.own, found.position.opp, found.position.to_move
    return {"position": position, "solution": found.solution, "plies": found.plies}


def _decide(agent: Agent, job: dict[str, Any]) -> int:
    own, opp, seat = job["position"]
    agent.reseed(job["seed"])
    if agent.keeps_games:  # each decision is in a game of its own, because the worker can be another one than before
        agent.start_games(1, np.array([seat], np.int8), np.array([job["seed"]], np.uint64))
    return int(decide(agent, np.array([(own, opp)], dtype=np.uint64), np.zeros(1, np.int64)).actions[0])


def _reports(analyst: Analyst, position: Position, stopped: Event) -> Iterator[dict[str, Any]]:
    """Yield reports of a search, and the last one. More reports would take more time than the search."""
    reported, unreported = 0.0, None
    for analysis in analyses(analyst, position):
        unreported = analysis
        if monotonic() - reported >= _PAUSE:
            yield report_of(analysis, position).model_dump()
            reported, unreported = monotonic(), None
        if stopped.is_set():
            break
    if unreported is not None:
        yield report_of(unreported, position).model_dump()


if __name__ == "__main__":
    main()
