"""The interface of an agent."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.action import whole_number, whole_numbers
from ci_envs.agent_interface.observations import Observation, read_observation, read_observations
from ci_envs.games.game import Game
from ci_envs.games.operations import VIEWS
from ci_envs.games.position import Position
from ci_envs.validation import checked_seed

AgentFactory = Callable[..., "Agent"]
"""A function or class that is called as ``factory(game, seed=seed, **options)``."""


class Agent:
    """A policy for one game, which maps observations to actions.

    A subclass defines :meth:`act`, or :meth:`act_batch`, or both.

    Attributes:
        per_game: whether each game gets its own copy of the agent.
        game: the game that the agent plays.
        rng: the random number generator of the agent, for subclasses.

    Examples:
        >>> from ci_envs import make
        >>> from ci_envs.agents import Agent
        >>> class FirstLegalAgent(Agent):
        ...     def act(self, observation):
        ...         return int(observation["action_mask"].argmax())
        ...
        >>> env = make("TicTacToe-v0")
        >>> env.reset()
        >>> FirstLegalAgent(env.game).act(env.observe("player_0"))
        0
    """

    per_game: ClassVar[bool] = False

    def __init__(self, game: Game, *, seed: int | None = None) -> None:
        """Make the agent.

        Args:
            game: the game that the agent plays.
            seed: the seed of all random numbers of the agent. None draws a random seed.

        Raises:
            TypeError: the subclass defines neither ``act`` nor ``act_batch``, or the game lacks an operation.
        """
        if type(self).act is Agent.act and type(self).act_batch is Agent.act_batch:
            raise TypeError(f"{type(self).__name__} must define act(observation) or act_batch(observations)")
        if not isinstance(game, Game):
            raise TypeError(f"{type(self).__name__} needs a game such as TicTacToe(), not {game!r}")
        game.need(*VIEWS)
        self.game = game
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Restart the random numbers. From then on, the same seed and observations give the same actions.

        Raises:
            ValueError: ``seed`` is neither None nor an integer of 64 bits.
        """
        self.rng = np.random.default_rng(checked_seed(seed))

    def act(self, observation: Observation) -> int:
        """Return the action on one board, where it is this agent's turn.

        Args:
            observation: the observation of the AEC environment: ``observation`` int8 planes, ``action_mask`` int8.
        """
        actions = self.act_batch({key: value[np.newaxis] for key, value in observation.items()})
        return int(whole_numbers(actions, 1, self)[0])

    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        """Return the actions on n boards, where it is always this agent's turn.

        Args:
            observations: ``observation`` int8 of shape (n, height, width, channels), ``action_mask`` int8 of shape
                (n, actions).

        Returns:
            int64 of shape (n,).
        """
        boards = len(observations["action_mask"])
        answers = (self.act({key: value[i] for key, value in observations.items()}) for i in range(boards))
        return np.array([whole_number(answer, self) for answer in answers], dtype=np.int64)

    @property
    def keeps_games(self) -> bool:
        """Whether the agent has a memory of each game: it defines :meth:`start_games`."""
        return type(self).start_games is not Agent.start_games

    def start_games(self, n: int, seats: NDArray[np.int8], seeds: NDArray[np.uint64]) -> None:
        """Begin n games, and forget all earlier games.

        Many games are played at the same time, so the observations of different games follow each other. An agent that
        defines this method gets the number of the game, 0 to n - 1, with each observation, as ``game_index``. An agent
        with the attribute ``per_game = True`` is copied for each game instead.

        Args:
            n: the number of games.
            seats: 0 for each game in which the agent moves first, otherwise 1, int8 of shape (n,).
            seeds: a seed for each game, uint64 of shape (n,).
        """

    def any_of(self, choices: NDArray[Any]) -> NDArray[np.int64]:
        """Return a uniformly random one of the marked actions of each row of ``choices`` (n, actions), int64 (n,)."""
        actions: NDArray[np.int64] = (choices * self.rng.random(choices.shape)).argmax(axis=1)
        return actions


class PositionAgent(Agent, ABC):
    """An agent that plays from positions.

    The arena, the environments and the web page pass positions to it. :meth:`act` and :meth:`act_batch` accept
    observations.
    """

    @abstractmethod
    def act_on(self, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the actions in n non-terminal positions.

        Args:
            words: rows ``(own, opp)`` of positions (:class:`~ci_envs.games.position.Position`), uint64 of shape (n, 2).

        Returns:
            int64 of shape (n,).
        """

    @override
    def act(self, observation: Observation) -> int:
        return int(whole_numbers(self.act_on(read_observation(self.game, observation).words), 1, self)[0])

    @override
    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        return self.act_on(read_observations(self.game, observations).words)

    def words_of(self, position: Position) -> NDArray[np.uint64]:
        """Return the row ``(own, opp)`` of a position to analyse, uint64 of shape (2,).

        Raises:
            ValueError: the position is of another game, or the game is over.
        """
        if position.game != self.game:
            raise ValueError(
                f"this agent was made for {self.game}, not for {position.game}: give a position of {self.game}"
            )
        if position.result is not None:
            raise ValueError(f"the game is over in {position.to_text()!r}: give a position that is not over")
        return np.array([position.own, position.opp], dtype=np.uint64)
