"""The time of decisions on one board. An agent that decides on many boards at once needs less time for each."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent.decision import decide
from ci_envs.agent.interface import Agent
from ci_envs.games.position import Position

_PLIES = 2  # random plies to a position that the agent has probably not searched


@dataclass(frozen=True)
class Timing:
    """A number of decisions and their total wall-clock time in seconds."""

    decisions: int = 0
    seconds: float = 0.0

    @property
    def ms(self) -> float:
        """Milliseconds per decision, nan without decisions."""
        return 1000 * self.seconds / self.decisions if self.decisions else math.nan

    def __add__(self, other: "Timing") -> "Timing":
        return Timing(self.decisions + other.decisions, self.seconds + other.seconds)


def time_one_board(agent: Agent, words: NDArray[np.uint64], *, seconds: float = 0.1, seed: int = 0) -> Timing:
    """Return the time of an agent for decisions on one board. The random numbers of the agent advance.

    The decisions are for positions some random plies after the given ones, because agents can keep results of positions
    that they have searched before.

    Args:
        agent: the agent.
        words: non-terminal positions, uint64 of shape (n, 2).
        seconds: the time after which no further decision begins.
        seed: the seed of the random plies.
    """
    timing, rng = Timing(), np.random.default_rng(seed)
    for own, opp in words.tolist():
        if timing.seconds >= seconds:
            break
        position = Position(agent.game, own, opp, 0)
        for _ in range(_PLIES):
            following = position.play(int(rng.choice(position.legal_actions())))
            position = position if following.result is not None else following
        row = np.array([[position.own, position.opp]], dtype=np.uint64)
        timing += Timing(1, decide(agent, row).seconds)
    return timing
