"""Agents for tests of the server. They compute in its worker processes, so files stand for events."""

import os
import tempfile
from itertools import count
from pathlib import Path
from time import monotonic, sleep

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.making import make_agent

_FOLDER = Path(os.environ.get("CI_ENVS_TEST_EVENTS") or tempfile.mkdtemp())
os.environ["CI_ENVS_TEST_EVENTS"] = str(_FOLDER)  # the worker processes inherit it


class FileEvent:
    """An event between processes."""

    def __init__(self, name):
        self._file = _FOLDER / name

    def set(self):
        self._file.touch()

    def clear(self):
        self._file.unlink(missing_ok=True)

    def wait(self, seconds):
        end = monotonic() + seconds
        while not self._file.exists() and monotonic() < end:
            sleep(0.01)
        return self._file.exists()


class Held(Agent):
    """Plays the first legal action, when it is told to."""

    thinks, go_on = FileEvent("thinks"), FileEvent("go_on")

    def act_batch(self, observations):
        self.thinks.set()
        assert self.go_on.wait(60)
        return observations["action_mask"].argmax(axis=1)


class Failing(Agent):
    """Cannot play."""

    def act_batch(self, observations):
        raise RuntimeError("no idea")


class Endless(Agent):
    """Thinks without end."""

    def act_batch(self, observations):
        raise NotImplementedError

    def analyse(self, position):
        raise NotImplementedError

    def think(self, position):
        found = make_agent("mcts:simulations=10", self.game, seed=0).analyse(position)
        while True:
            sleep(0.01)
            yield found


class Slow(Agent):
    """Thinks a little more every tenth of a second, for ever."""

    def act_batch(self, observations):
        raise NotImplementedError

    def analyse(self, position):
        raise NotImplementedError

    def think(self, position):
        for hundreds in count(1):
            sleep(0.1)
            yield make_agent(f"mcts:simulations={100 * hundreds}", self.game, seed=0).analyse(position)
