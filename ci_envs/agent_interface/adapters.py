"""Agents that play as objects of other programs decide, which know nothing of this package."""

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ci_envs.agent_interface.action import whole_number
from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.observations import Observation
from ci_envs.games.game import Game


class FunctionAgent(Agent):
    """An agent that plays the action that a function of the observation returns.

    Attributes:
        thing: the function.
    """

    def __init__(self, game: Game, thing: Any, *, seed: int | None = None) -> None:
        """Make the agent of the function ``thing``."""
        super().__init__(game, seed=seed)
        self.thing = thing

    @override
    def act(self, observation: Observation) -> int:
        return whole_number(self.thing(dict(observation)), self.thing)


class ObjectAgent(FunctionAgent):
    """An agent that plays the action that the method ``act`` or ``act_batch`` of an object returns.

    Attributes:
        thing: the object.
    """

    @override
    def act(self, observation: Observation) -> int:
        if not hasattr(self.thing, "act"):
            return super(FunctionAgent, self).act(observation)
        return whole_number(self.thing.act(dict(observation)), self.thing)

    @override
    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        if not hasattr(self.thing, "act_batch"):
            return super().act_batch(observations)
        actions: NDArray[np.int64] = self.thing.act_batch(dict(observations))
        return actions


class PredictorAgent(FunctionAgent):
    """An agent that plays the action that ``predict(observation)`` of an object returns, as in Stable-Baselines3.

    The object gets its legal actions in the argument ``action_masks`` if ``predict`` has it, and the observation in the
    form of its attribute ``observation_space`` (:func:`fitted`) if it has one.

    Attributes:
        thing: the object.
    """

    def __init__(self, game: Game, thing: Any, *, seed: int | None = None) -> None:
        """Make the agent of the object ``thing``.

        Raises:
            ValueError: the object has the observation space of another game.
        """
        super().__init__(game, thing, seed=seed)
        self._space = getattr(thing, "observation_space", None)
        planes = np.zeros(game.observation_shape, np.int8)
        fitted({"observation": planes, "action_mask": np.zeros(game.action_count, np.int8)}, self._space)
        self._parameters = inspect.signature(thing.predict).parameters

    @override
    def act(self, observation: Observation) -> int:
        further: dict[str, Any] = {}
        if "action_masks" in self._parameters:
            further["action_masks"] = observation["action_mask"].astype(bool)
        if "deterministic" in self._parameters:
            further["deterministic"] = True
        answer = self.thing.predict(fitted(observation, self._space), **further)
        return whole_number(answer[0] if isinstance(answer, tuple) else answer, self.thing)


def fitted(observation: Observation, space: Any) -> Any:
    """Return an observation in the form of a space of Gymnasium.

    Args:
        observation: of one board or, with a leading axis, of several boards.
        space: a dictionary with the keys ``observation`` and ``action_mask`` or one of them, a box with the shape of
            the planes or with as many entries, or a box with the entries of the planes and then of the mask
            (:class:`~ci_envs.envs.flat_observation.FlatMaskObs`). None returns the observation itself.

    Raises:
        ValueError: the space is none of these.
    """
    if space is None:
        return dict(observation)
    parts = getattr(space, "spaces", None)
    if isinstance(parts, dict) and parts.keys() <= observation.keys():
        return {key: _shaped(observation, (key,), part) for key, part in parts.items()}
    for keys in (("observation",), ("observation", "action_mask")):
        shaped = _shaped(observation, keys, space)
        if shaped is not None:
            return shaped
    planes, mask = (observation[key].shape for key in ("observation", "action_mask"))
    raise ValueError(f"the observation space must have planes {planes} or a mask {mask} or both, not {space}")


def _shaped(observation: Observation, keys: tuple[str, ...], space: Any) -> NDArray[Any] | None:
    """Return parts of an observation in the shape and type of a box, or None if the number of entries differs."""
    boards = observation["action_mask"].shape[:-1]
    flat = np.concatenate([observation[key].reshape(*boards, -1) for key in keys], axis=-1)
    if int(np.prod(space.shape)) != flat.shape[-1]:
        return None
    return flat.reshape(*boards, *space.shape).astype(space.dtype)
