"""Observations as one flat vector, for libraries that accept neither dictionaries nor masks in the info."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Space
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper
from typing_extensions import override

from ci_envs.envs.aec import BoardEnv, checked_agent
from ci_envs.envs.single_agent import SingleAgentEnv
from ci_envs.games.position import Position


class FlatMaskObs(
    gymnasium.Wrapper[NDArray[np.int8], np.int64, NDArray[np.int8], np.int64], gymnasium.utils.RecordConstructorArgs
):
    """A single-agent environment whose observation is the flattened planes, followed by the action mask.

    The observation of ``FlatMaskObs(gymnasium.make("ci_envs/TicTacToe-v0"))`` has 18 entries for the planes and 9 for
    the mask. The last ``env.action_space.n`` entries of an observation are always the mask. The info also contains the
    mask. All entries are int8, 0 or 1. ``gymnasium.wrappers.DtypeObservation(env, np.float32)`` converts them.

    Examples:
        >>> import gymnasium
        >>> from ci_envs import FlatMaskObs
        >>> env = FlatMaskObs(gymnasium.make("ci_envs/TicTacToe-v0"))
        >>> env.observation_space
        Box(0, 1, (27,), int8)
    """

    def __init__(self, env: gymnasium.Env[NDArray[np.int8], np.int64]) -> None:
        """Wrap ``env``.

        Args:
            env: a single-agent environment of a board game. It can have other wrappers that do not change observations
                and info.

        Raises:
            TypeError: ``env`` is another environment, for example an AEC environment, or has wrappers that change
                observations.
        """
        if not isinstance(env, gymnasium.Env) or not isinstance(env.unwrapped, SingleAgentEnv):
            raise TypeError(
                f"FlatMaskObs needs a single-agent environment of a board game, not {env}; for AEC use FlatMaskObsAEC"
            )
        if env.observation_space != env.unwrapped.observation_space:
            raise TypeError(f"FlatMaskObs must be below the wrappers that change observations, not above {env}")
        gymnasium.utils.RecordConstructorArgs.__init__(self)
        gymnasium.Wrapper.__init__(self, env)
        game = env.unwrapped.game
        self.observation_space = _flat_space(game.observation_shape, game.action_count)

    @override
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        planes, info = self.env.reset(seed=seed, options=options)
        return _flat(planes, info["action_mask"]), info

    @override
    def step(self, action: np.int64) -> tuple[NDArray[np.int8], Any, bool, bool, dict[str, Any]]:
        planes, reward, terminated, truncated, info = self.env.step(action)
        return _flat(planes, info["action_mask"]), reward, terminated, truncated, info


class FlatMaskObsAEC(BaseWrapper[str, NDArray[np.int8], int | None]):  # type: ignore[misc]
    """An AEC environment whose observations are the flattened planes, followed by the action mask.

    ``FlatMaskObsAEC(ci_envs.make("TicTacToe-v0"))`` gives each player the observations of :class:`FlatMaskObs`.

    Examples:
        >>> from ci_envs import FlatMaskObsAEC, make
        >>> env = FlatMaskObsAEC(make("TicTacToe-v0"))
        >>> env.observation_space("player_0")
        Box(0, 1, (27,), int8)
    """

    def __init__(self, env: BoardEnv) -> None:
        """Wrap ``env``.

        Args:
            env: an AEC environment of a board game. It can have other wrappers that do not change observations.

        Raises:
            TypeError: ``env`` is another environment, for example a Gymnasium environment, or has wrappers that change
                observations.
        """
        if not isinstance(env, AECEnv) or not isinstance(env.unwrapped, BoardEnv):
            raise TypeError(
                f"FlatMaskObsAEC needs an AEC environment of a board game, not {env}; for Gymnasium use FlatMaskObs"
            )
        first = env.possible_agents[0]
        if env.observation_space(first) != env.unwrapped.observation_space(first):
            raise TypeError(f"FlatMaskObsAEC must be below the wrappers that change observations, not above {env}")
        super().__init__(env)
        game = env.unwrapped.game
        self.observation_spaces = {
            agent: _flat_space(game.observation_shape, game.action_count) for agent in env.possible_agents
        }

    @property
    def position(self) -> Position:
        """The position on the board, which can be assigned (:attr:`BoardEnv.position`)."""
        position: Position = self.unwrapped.position
        return position

    @position.setter
    def position(self, position: Position) -> None:
        self.unwrapped.position = position

    @override
    def observation_space(self, agent: str) -> Space[NDArray[np.int8]]:
        return self.observation_spaces[checked_agent(agent)]

    @override
    def observe(self, agent: str) -> NDArray[np.int8]:
        seen = self.env.observe(agent)
        return _flat(seen["observation"], seen["action_mask"])


def _flat_space(shape: tuple[int, ...], actions: int) -> Space[NDArray[np.int8]]:
    return Box(0, 1, (int(np.prod(shape)) + actions,), np.int8)


def _flat(planes: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.int8]:
    return np.concatenate((planes.ravel(), mask))
