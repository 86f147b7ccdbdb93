"""Agents that are used again: each is used by one thread at a time."""

import threading

from ci_envs.agent_interface.interface import Agent
from ci_envs.games.game import Game
from ci_envs.web.catalog import HUMAN, Catalog

_IDLE_AGENTS = 4  # the number of unused agents with the same spec string that are kept
_IDLE_SPECS = 64  # the number of spec strings of which unused agents are kept


class AgentPool:
    """The unused agents of a server."""

    def __init__(self, catalog: Catalog) -> None:
        """Make a pool of the agents of a catalog."""
        self._catalog = catalog
        self._idle: dict[tuple[str, str], list[Agent]] = {}  # by environment and spec string, the last used at the end
        self._lock = threading.Lock()

    def acquire(self, environment: str, game: Game, spec: str) -> Agent:
        """Return an agent for use in one thread, released or new.

        Raises:
            ValueError: The agent or an option is invalid, or the agent does not play this game.
            ImportError: The agent needs a package that is not installed.
        """
        with self._lock:
            idle = self._idle.get((environment, spec))
            if idle:
                return idle.pop()
        return self._catalog.agent(spec, game)

    def release(self, environment: str, spec: str, agent: Agent) -> None:
        """Keep an agent for the next call of :meth:`acquire`."""
        key = environment, spec
        with self._lock:
            idle = self._idle.pop(key, [])
            self._idle[key] = [*idle, agent][:_IDLE_AGENTS]  # moved to the end, so that the first one is the oldest
            while len(self._idle) > _IDLE_SPECS:
                del self._idle[next(iter(self._idle))]

    def check(self, environment: str, game: Game, spec: str) -> None:
        """Check that a spec string can have a seat. The errors are those of :meth:`acquire`."""
        if spec != HUMAN and (environment, spec) not in self._idle:  # else an agent with this spec string exists
            self.release(environment, spec, self.acquire(environment, game, spec))
