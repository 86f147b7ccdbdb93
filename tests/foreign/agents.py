"""Agents that know nothing of ci_envs. The tests name them by this file."""

import os
import random
import sys
import threading
import time
from dataclasses import dataclass
from functools import partial

import numpy as np


def lowest(observation):
    return int(observation["action_mask"].argmax())


def nth(observation, n=0):
    legal = np.flatnonzero(observation["action_mask"])
    return legal[n % len(legal)]


first = partial(nth, n=0)


class Callable:
    """Plays a legal action when it is called."""

    def __init__(self, n=1):
        self.n = n

    def __call__(self, observation):
        return nth(observation, self.n)


instance = Callable(0)
with_arguments = partial(Callable, n=0)


def global_random(observation):
    return random.choice(np.flatnonzero(observation["action_mask"]).tolist())


class Chooser:
    """Draws legal actions with its own generator."""

    def __init__(self, seed=None, least=0):
        self.rng = np.random.default_rng(seed)
        self.least = least

    def act(self, observation):
        legal = np.flatnonzero(observation["action_mask"])
        return self.rng.choice(legal[min(self.least, len(legal) - 1) :])


chooser = Chooser(seed=1)


class Counter:
    """Plays in each game the legal action with the number of its own earlier actions in this game."""

    def start_games(self, n, seats, seeds):
        self.counts = np.zeros(n, int)

    def act(self, observation):
        game = observation["game_index"]
        legal = np.flatnonzero(observation["action_mask"])
        self.counts[game] += 1
        return legal[(self.counts[game] - 1) % len(legal)]


class CopiedCounter:
    """Plays as Counter does, by a copy for each game."""

    per_game = True

    def __init__(self):
        self.count = 0

    def act(self, observation):
        legal = np.flatnonzero(observation["action_mask"])
        self.count += 1
        return legal[(self.count - 1) % len(legal)]


def raises(observation):
    raise KeyError("oops")


def nothing(observation):
    return None


def fraction(observation):
    return 1.5


def text(observation):
    return "3"


def truth(observation):
    return True


def illegal(observation):
    return -5


def exits(observation):
    sys.exit(0)


class Panic(BaseException):
    """As a library in Rust raises it."""


def panics(observation):
    raise Panic("index out of bounds")


def unreadable(observation):
    raise ValueError("no file caf\udce9")


class Fragile:
    """Plays until its class is called again with another seed."""

    made = 0

    def __init__(self, seed):
        type(self).made += 1
        if type(self).made > 1:
            raise OSError("the engine is in use")

    def act(self, observation):
        return lowest(observation)


class Forgetful:
    """Cannot begin several games."""

    def start_games(self, n, seats, seeds):
        assert n == 1

    def act(self, observation):
        return lowest(observation)


class Locked(CopiedCounter):
    """Cannot be copied."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()


def annotated(observation: "planes and mask", n: "which legal action" = 0):  # noqa: F722, F821 - plain texts
    return nth(observation, n)


@dataclass
class Fielded:
    table: "NDArray[np.int8] | None" = None  # noqa: F821 - imported for type checkers only

    def act(self, observation):
        return lowest(observation)


def ends(observation):
    os._exit(7)


def never_ends(observation):
    while True:
        pass


def greedy(observation):
    memory = bytearray(3 << 30)
    memory[:: 1 << 12] = b"1" * len(memory[:: 1 << 12])
    return lowest(observation)


class SlowStart:
    def __init__(self):
        time.sleep(60)

    def act(self, observation):
        return lowest(observation)


NUMBER = 3
