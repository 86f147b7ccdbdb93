"""Agents that play as objects of other programs decide, which know nothing of this package."""

import inspect
import math
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.action import whole_number
from ci_envs.agent_interface.decision import failure
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.observations import Observation
from ci_envs.games.game import Game
from ci_envs.registry.user_code import UserCodeError

Maker = Callable[[int | None], Any]
"""A function that makes an object from a seed."""


class FunctionAgent(Agent):
    """An agent that plays the action that a function of the observation returns.

    Attributes:
        thing: the function.
    """

    def __init__(self, game: Game, thing: Any, *, seed: int | None = None, make: Maker | None = None) -> None:
        """Make the agent of the function or object ``thing``. With ``make`` each new seed makes a new object.

        Raises:
            ValueError: the object fails at the beginning of a game.
        """
        self.thing, self._make = thing, make
        super().__init__(game, seed=seed)
        fault = failure(self.start_games, 1, np.zeros(1, np.int8), np.zeros(1, np.uint64))
        if fault:
            raise ValueError(f"{type(thing).__name__}.start_games fails: {fault}")

    @override
    def reseed(self, seed: int | None) -> None:
        if hasattr(self, "rng") and self._make is not None:
            self.thing = self._make(seed)
        super().reseed(seed)

    @property
    @override
    def keeps_games(self) -> bool:
        return callable(getattr(self.thing, "start_games", None))

    @override
    def start_games(self, n: int, seats: NDArray[np.int8], seeds: NDArray[np.uint64]) -> None:
        if self.keeps_games:
            self.thing.start_games(n, seats, seeds)

    @override
    def act(self, observation: Observation) -> int:
        return whole_number(self.thing(dict(observation)), self.thing)


class ObjectAgent(FunctionAgent):
    """An agent that plays the action that the method ``act`` of an object returns.

    Attributes:
        thing: the object.
    """

    @override
    def act(self, observation: Observation) -> int:
        return whole_number(self.thing.act(dict(observation)), self.thing)


class BatchObjectAgent(FunctionAgent):
    """An agent that plays the actions that the method ``act_batch`` of an object returns.

    Attributes:
        thing: the object.
    """

    @override
    def act(self, observation: Observation) -> int:
        return Agent.act(self, observation)

    @override
    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        actions: NDArray[np.int64] = self.thing.act_batch(dict(observations))
        return actions


class PredictorAgent(FunctionAgent):
    """An agent that plays the action that ``predict(observation)`` of an object returns, as in Stable-Baselines3.

    The object gets its legal actions in the argument ``action_masks`` if ``predict`` has it, and the observation in the
    form of its attribute ``observation_space`` (:func:`fitted`) if it has one.

    Attributes:
        thing: the object.
    """

    def __init__(self, game: Game, thing: Any, *, seed: int | None = None, make: Maker | None = None) -> None:
        """Make the agent of the object ``thing``.

        Raises:
            ValueError: the object has the observation space of another game, or one with other values.
        """
        super().__init__(game, thing, seed=seed, make=make)
        self._space = getattr(thing, "observation_space", None)
        planes = np.zeros(game.observation_shape, np.int8)
        fitted({"observation": planes, "action_mask": np.zeros(game.action_count, np.int8)}, self._space)
        check_values(self._space)
        self._normaliser = getattr(thing, "get_vec_normalize_env", lambda: None)()  # of Stable-Baselines3
        self._parameters = inspect.signature(thing.predict).parameters

    @override
    def act(self, observation: Observation) -> int:
        further: dict[str, Any] = {}
        if "action_masks" in self._parameters:
            further["action_masks"] = observation["action_mask"].astype(bool)
        if "deterministic" in self._parameters:
            further["deterministic"] = True
        given = fitted(observation, self._space)
        if self._normaliser is not None:
            given = self._normaliser.normalize_obs(given)
        answer = self.thing.predict(given, **further)
        return whole_number(answer[0] if isinstance(answer, tuple) else answer, self.thing)


class PerGameAgent(Agent):
    """An agent with another agent for each game, so that each of them sees only its own game.

    Attributes:
        prototype: the agent that is copied, or made again.
    """

    def __init__(self, prototype: Agent, make: Callable[[int], Agent] | None = None) -> None:
        """Make the agent of an agent with the attribute ``per_game``.

        Args:
            prototype: the agent.
            make: makes it again with another seed. None copies it.
        """
        self.prototype, self._make = prototype, make or partial(_reseeded_copy, prototype)
        super().__init__(prototype.game)
        self.start_games(1, np.zeros(1, np.int8), np.zeros(1, np.uint64))

    @override
    def reseed(self, seed: int | None) -> None:
        super().reseed(seed)
        self.prototype.reseed(seed)

    @override
    def start_games(self, n: int, seats: NDArray[np.int8], seeds: NDArray[np.uint64]) -> None:
        self._agents = [self._make(int(seed % 2**32)) for seed in seeds]
        for i, agent in enumerate(self._agents):
            agent.start_games(1, seats[i : i + 1], seeds[i : i + 1])

    @override
    def act(self, observation: Observation) -> int:
        own = {key: value for key, value in observation.items() if key != "game_index"}
        return self._agents[int(observation.get("game_index", 0))].act(own)


class FailedAgent(Agent):
    """An agent without actions, because its preparation has failed.

    Attributes:
        fault: the reason.
    """

    def __init__(self, game: Game, fault: str) -> None:
        """Make the agent with the reason of its failure."""
        self.fault = fault
        super().__init__(game)

    @override
    def act(self, observation: Observation) -> int:
        """Raise the failure.

        Raises:
            UserCodeError: always.
        """
        raise UserCodeError(self.fault)


def prepared(agent: Agent, call: Callable[..., object], *arguments: Any) -> Agent:
    """Call code of an agent, and return the agent, or an agent without actions if this fails."""
    fault = failure(call, *arguments)
    return FailedAgent(agent.game, fault) if fault else agent


def _reseeded_copy(prototype: Agent, seed: int) -> Agent:
    agent = _copied(prototype, "keeps a memory of one game")
    agent.reseed(seed)
    return agent


def _copied(agent: Agent, why: str) -> Agent:
    try:
        return deepcopy(agent)
    except Exception as error:  # an object can raise anything when it is copied
        name = type(_given(agent)).__name__
        raise ValueError(f"{name} {why}, but it cannot be copied: {error}. Give its class instead") from error


def _given(agent: Agent) -> object:
    """Return the object of the user of which an agent was made, or the agent itself."""
    return agent.thing if isinstance(agent, FunctionAgent) else agent


def separate(agent: Agent, other: Agent) -> Agent:
    """Return an agent, or a copy of it if it shares a memory of games with its opponent.

    Raises:
        ValueError: the agent cannot be copied.
    """
    if not agent.keeps_games or _given(agent) is not _given(other):
        return agent
    return _copied(agent, "plays against itself and keeps a memory of its games")


def fitted(observation: Observation, space: Any) -> Any:
    """Return an observation in the form of a space of Gymnasium.

    Args:
        observation: of one board or, with a leading axis, of several boards.
        space: a dictionary with the keys ``observation`` and ``action_mask`` or one of them, a box with the shape of
            the planes, with the channels first, or with as many entries, or a box with the entries of the planes and
            then of the mask (:class:`~ci_envs.envs.flat_observation.FlatMaskObs`). None returns the observation itself.

    Raises:
        ValueError: the space is none of these.
    """
    if space is None:
        return dict(observation)
    parts = getattr(space, "spaces", None)
    if isinstance(parts, dict) and parts.keys() <= observation.keys():
        arrays = {key: _shaped(observation, (key,), part) for key, part in parts.items()}
        if arrays and all(array is not None for array in arrays.values()):
            return arrays
    elif getattr(space, "shape", None) is not None:
        for keys in (("observation",), ("observation", "action_mask")):
            shaped = _shaped(observation, keys, space)
            if shaped is not None:
                return shaped
    planes, mask = (observation[key].shape for key in ("observation", "action_mask"))
    raise ValueError(f"the observation space must have planes {planes} or a mask {mask} or both, not {space}")


def check_values(space: Any) -> None:
    """Check that the boxes of a space have the values of planes and masks, 0 and 1, or no bounds.

    Raises:
        ValueError: a box has other bounds, so that its observations are coded in another way.
    """
    for box in getattr(space, "spaces", {"": space}).values():
        for bound, value in ((getattr(box, "low", 0), 0), (getattr(box, "high", 1), 1)):
            if not (np.isinf(bound) | (bound == value)).all():
                raise ValueError(
                    f"the observation space has values from {np.min(box.low):g} to {np.max(box.high):g}, but planes "
                    "and masks have 0 and 1: give a function that changes the observation and calls the object"
                )


def _shaped(observation: Observation, keys: tuple[str, ...], space: Any) -> NDArray[Any] | None:
    """Return parts of an observation in the shape and type of a box, or None if the number of entries differs."""
    arrays = [observation[key] for key in keys]
    boards = observation["action_mask"].shape[:-1]
    shape = arrays[0].shape[len(boards) :]
    if space.shape != shape and space.shape == (*shape[-1:], *shape[:-1]):  # the channels are first
        arrays = [np.moveaxis(arrays[0], -1, len(boards))]
    flat = np.concatenate([array.reshape(*boards, math.prod(array.shape[len(boards) :])) for array in arrays], axis=-1)
    if math.prod(space.shape) != flat.shape[-1]:
        return None
    return flat.reshape(*boards, *space.shape).astype(space.dtype)
