"""The time of decisions on one board. An agent that decides on many boards at once needs less time for each."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ci_envs.agent_interface.decision import decide_or_fail
from ci_envs.agent_interface.interface import Agent
from ci_envs.games.batch import start_words
from ci_envs.games.position import Position
from ci_envs.games.truncation import computed_plies

_MOST_DECISIONS = 20


@dataclass(frozen=True)
class Timing:
    """A number of decisions and their total wall-clock time in seconds."""

    decisions: int = 0
    seconds: float = 0.0

    @property
    def ms(self) -> float:
        """Milliseconds per decision, nan without decisions."""
        return 1000 * self.seconds / self.decisions if self.decisions else math.nan


def time_one_board(agent: Agent, *, seconds: float = 0.2, seed: int = 0) -> Timing:
    """Return the time of an agent for decisions on one board, in up to 20 positions of random games.

    A new game for each position prevents that the agent reuses its results for an earlier position. The random numbers
    of the agent advance.

    Args:
        agent: the agent.
        seconds: the time after which no further decision begins.
        seed: the seed of the games.
    """
    rng = np.random.default_rng(seed)
    positions = (random_position(agent, rng) for _ in range(_MOST_DECISIONS))
    times = decision_times(agent, ([[position.own, position.opp]] for position in positions), seconds)
    return Timing(len(times), sum(times))


def decision_times(agent: Agent, words: Iterable[Any], seconds: float) -> list[float]:
    """Return the wall-clock time in seconds of each decision of an agent on one board, until it fails.

    Args:
        agent: the agent.
        words: the positions, each with the shape (1, 2).
        seconds: the time after which no further decision begins.
    """
    times: list[float] = []
    for row in words:
        timed = decide_or_fail(agent, np.array(row, np.uint64))
        if timed.faults:
            break
        times.append(timed.seconds)
        if sum(times) >= seconds:
            break
    return times


def decide_once(agent: Agent) -> None:
    """Let an agent decide in the initial position, whether it fails or not."""
    decide_or_fail(agent, start_words(agent.game, 1))


def random_position(agent: Agent, rng: np.random.Generator) -> Position:
    """Return a random position of a random game of the agent's game. The position is not terminal."""
    positions = [Position.start(agent.game)]
    for _ in range(computed_plies(agent.game)):
        actions = positions[-1].legal_actions()
        if not actions:
            where = positions[-1].to_text()
            raise ValueError(f"no action is legal in {where!r} of {agent.game}, but result says that the game goes on")
        position = positions[-1].play(int(rng.choice(actions)))
        if position.result is not None:
            break
        positions.append(position)
    return positions[rng.integers(len(positions))]
