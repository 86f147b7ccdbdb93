"""The interface of an agent."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agent.policy import Policy
from ci_envs.games.batch import decode_batch
from ci_envs.games.game import Game
from ci_envs.games.operations import VIEWS
from ci_envs.games.position import Position

Observation = Mapping[str, NDArray[np.int8]]
"""``{"observation": planes, "action_mask": mask}``, of one board or, with a leading axis, of several."""

AgentFactory = Callable[..., "Agent"]
"""Called as ``factory(game, seed=seed, **options)``."""


class Agent(ABC):
    """A policy for one game: observations in, actions out.

    Attributes:
        game: the game it plays.
        rng: its own random numbers, the only ones it uses.
    """

    def __init__(self, game: Game, *, seed: int | None = None) -> None:
        game.need(*VIEWS)
        self.game = game
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Start the random numbers anew: from here on the same seed and observations give the same actions."""
        self.rng = np.random.default_rng(seed)

    def act(self, observation: Observation) -> int:
        """The action on one board, on which it is this agent's turn.

        Args:
            observation: as the AEC environment gives it: ``observation`` int8 planes, ``action_mask`` int8.
        """
        return int(self.act_batch({key: value[np.newaxis] for key, value in observation.items()})[0])

    @abstractmethod
    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """The actions on n boards, on all of which it is this agent's turn.

        Args:
            observations: ``observation`` int8 (n, height, width, channels), ``action_mask`` int8 (n, actions).

        Returns:
            int64 of shape (n,).
        """

    def policy(self) -> tuple[Policy, tuple[Any, ...]] | None:
        """The agent in compiled code, with new memory for one thread; None, as here, if it plays in Python alone.

        Environments prefer it to :meth:`act_batch`. Its random numbers are those of each board, not :attr:`rng`.
        """
        return None

    @staticmethod
    def checkpoints() -> Mapping[str, Path]:
        """What was trained and comes with the package, by the names that the option ``path`` takes: here nothing."""
        return {}

    def positions_of(self, observations: Observation) -> NDArray[np.uint64]:
        """The positions that n observations show, as rows ``(own, opp)`` of an array of shape (n, 2)."""
        planes = np.ascontiguousarray(observations["observation"])
        words = np.empty((len(planes), 2), dtype=np.uint64)
        decode_batch(self.game, planes, words)
        return words

    def words_of(self, position: Position) -> NDArray[np.uint64]:
        """A position to be analysed, as the row ``(own, opp)``, shape (2,).

        Raises:
            ValueError: it is of another game, or over.
        """
        if position.game != self.game:
            raise ValueError(
                f"this agent was made for {self.game}, not for {position.game}: need a position of it that is not over"
            )
        if position.result is not None:
            raise ValueError(f"the game is over in {position.to_text()!r}: need a position that is not over")
        return np.array([position.own, position.opp], dtype=np.uint64)

    def any_of(self, choices: NDArray[Any]) -> NDArray[np.int64]:
        """A random one of the actions that each row of ``choices`` (n, actions) marks, uniformly; int64 (n,)."""
        actions: NDArray[np.int64] = (choices * self.rng.random(choices.shape)).argmax(axis=1)
        return actions
