"""The policies of Stable-Baselines3: their algorithms, their descriptions, and their preferences for actions."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias, cast

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.ars.policies import ARSPolicy
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from sb3_contrib.qrdqn.policies import QRDQNPolicy
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import ActorCriticPolicy, BasePolicy
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.common.utils import obs_as_tensor
from stable_baselines3.dqn.policies import DQNPolicy
from torch import nn

from ci_envs.agent_interface.adapters import check_values, fitted
from ci_envs.devices import torch_threads
from ci_envs.games.game import Game
from ci_envs.validation import unknown_name

ALGORITHMS: Mapping[str, type[BaseAlgorithm]] = {"maskable_ppo": MaskablePPO, "ppo": PPO, "a2c": A2C, "dqn": DQN}
"""The algorithms by the names that spec strings use."""

_POLICIES: Mapping[str, type[BasePolicy]] = {
    "maskable_ppo": MaskableActorCriticPolicy,
    "ppo": ActorCriticPolicy,
    "a2c": ActorCriticPolicy,
    "dqn": DQNPolicy,
}
_WITH_PREFERENCES = (ActorCriticPolicy, MaskableActorCriticPolicy, DQNPolicy, QRDQNPolicy, ARSPolicy)
_OBSERVATIONS = ("planes", "flat")
_ACTIVATIONS: Mapping[str, type[nn.Module]] = {"tanh": nn.Tanh, "relu": nn.ReLU}

Layers: TypeAlias = list[int] | dict[str, list[int]]
"""Widths of the hidden layers, or ``{"pi": ..., "vf": ...}`` if policy and value function have different layers."""

_TEMPERATURE = 0.05
"""Temperature of the softmax over DQN's action values. They are from -1 to 1, so without it play is almost random."""


@dataclass(frozen=True)
class PolicyArchitecture:
    """The description of a policy of multilayer perceptrons, without its weights.

    Attributes:
        algorithm: a key of :data:`ALGORITHMS`.
        layers: ``net_arch`` of Stable-Baselines3.
        activation: ``tanh`` or ``relu``.
        observation: ``planes``, or ``flat`` for the entries of the planes and then of the mask
            (:class:`~ci_envs.envs.flat_observation.FlatMaskObs`).
    """

    algorithm: str
    layers: Layers
    activation: str
    observation: str = "planes"

    def __post_init__(self) -> None:
        if self.algorithm not in _POLICIES:
            raise unknown_name("algorithm", self.algorithm, _POLICIES)
        if self.activation not in _ACTIVATIONS:
            raise unknown_name("activation", self.activation, _ACTIVATIONS)
        if self.observation not in _OBSERVATIONS:
            raise unknown_name("observation", self.observation, _OBSERVATIONS)
        parts = self.layers if isinstance(self.layers, dict) and self.algorithm != "dqn" else {"pi": self.layers}
        if not parts.keys() <= {"pi", "vf"} or not all(map(_are_widths, parts.values())):
            raise ValueError(f"layers must be integers above 0, not {self.layers!r}")

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary of plain values."""
        return asdict(self)

    def new_policy(self, game: Game) -> BasePolicy:
        """Return a policy for ``game`` with random weights, on the CPU. It has no optimizer: it cannot be trained."""
        planes = spaces.Box(0, 1, self.observation_shape(game), np.int8)
        actions = spaces.Discrete(game.action_count)
        arguments = self.policy_arguments() | {"optimizer_class": _no_optimizer}
        # the weights are drawn from the global random numbers
        with torch.random.fork_rng(devices=()), torch_threads(1):
            policy = _POLICIES[self.algorithm](planes, actions, lambda _: 0.0, **arguments)
        policy.set_training_mode(False)
        return policy

    def observation_shape(self, game: Game) -> tuple[int, ...]:
        """Return the shape of the observations of ``game``."""
        if self.observation == "planes":
            return game.observation_shape
        return (math.prod(game.observation_shape) + game.action_count,)

    def policy_arguments(self) -> dict[str, Any]:
        """Return the ``policy_kwargs`` of Stable-Baselines3."""
        return {"net_arch": self.layers, "activation_fn": _ACTIVATIONS[self.activation]}


def _no_optimizer(*_: Any, **__: Any) -> None:
    """Take the place of the class of an optimizer, which would import PyTorch's compiler. This takes over a second."""


def _are_widths(layers: Any) -> bool:
    return isinstance(layers, list | tuple) and all(type(width) is int and width > 0 for width in layers)


def network_of(model: BaseAlgorithm) -> PolicyArchitecture:
    """Return the description of the policy of a model.

    Raises:
        TypeError: ``model`` is no model of Stable-Baselines3.
        ValueError: the policy is not an ``MlpPolicy`` on flat planes.
    """
    if not isinstance(model, BaseAlgorithm):
        raise TypeError(f"a model of Stable-Baselines3 is needed, such as PPO('MlpPolicy', env), not {model!r}")
    names = [name for name, algorithm in ALGORITHMS.items() if type(model) is algorithm]
    kind, policy = type(model.policy), cast(Any, model.policy)
    if not names or kind is not _POLICIES[names[0]]:
        found = kind if names else type(model)
        raise ValueError(f"the model must be {', '.join(ALGORITHMS)} with an MlpPolicy, not {found.__name__}")
    if policy.features_extractor_class is not FlattenExtractor:
        raise ValueError(f"the features must be flat planes, not {policy.features_extractor_class.__name__}")
    activations = {cls: name for name, cls in _ACTIVATIONS.items()}
    if policy.activation_fn not in activations:
        raise ValueError(f"the activation must be {' or '.join(_ACTIVATIONS)}, not {policy.activation_fn.__name__}")
    observation = "planes" if len(model.observation_space.shape or ()) > 1 else "flat"
    return PolicyArchitecture(names[0], _plain(policy.net_arch), activations[policy.activation_fn], observation)


def _plain(layers: Any) -> Any:
    """Return layers with int instead of the integers of NumPy."""
    if isinstance(layers, dict):
        return {name: _plain(part) for name, part in layers.items()}
    if not isinstance(layers, list | tuple):
        return layers
    return [width.item() if isinstance(width, np.integer) else width for width in layers]


def has_preferences(policy: object) -> bool:
    """Return whether :func:`preferences` accepts an object: a policy with a distribution or with values of actions."""
    return isinstance(policy, _WITH_PREFERENCES) and not isinstance(policy, RecurrentActorCriticPolicy)


def preferences(policy: Any, observations: NDArray[Any] | Mapping[str, NDArray[Any]]) -> torch.Tensor:
    """Return the preferences of a policy for all actions, legal or not.

    Args:
        policy: a policy of Stable-Baselines3 or sb3-contrib for which :func:`has_preferences` is true.
        observations: n observations in the form of the policy's observation space.

    Returns:
        float32 of shape (n, actions) on the CPU: logarithms of probabilities, or for ARS the values of its network. For
        DQN and QR-DQN they are the action values divided by a temperature of 0.05.
    """
    with torch.inference_mode():
        tensors = obs_as_tensor(cast(Any, observations), policy.device)
        if isinstance(policy, DQNPolicy):
            scores: torch.Tensor = policy.q_net(tensors) / _TEMPERATURE
        elif isinstance(policy, QRDQNPolicy):
            scores = policy.quantile_net(tensors).mean(dim=1) / _TEMPERATURE
        elif isinstance(policy, ARSPolicy):
            scores = policy.action_net(policy.extract_features(tensors, policy.features_extractor))
        else:
            scores = policy.get_distribution(tensors).distribution.logits
        return scores.cpu()


def check_spaces(model: Any, game: Game) -> None:
    """Check that a model or a policy has the observations and the actions of a game.

    Raises:
        ValueError: it has those of another game, or observations with other values than planes and masks.
    """
    actions = model.action_space
    fits = isinstance(actions, spaces.Discrete) and (actions.start, actions.n) == (0, game.action_count)
    planes, mask = np.zeros(game.observation_shape, np.int8), np.zeros(game.action_count, np.int8)
    try:
        fitted({"observation": planes, "action_mask": mask}, model.observation_space)
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"the model has the observation space {_one_line(model.observation_space)} and the action space "
            f"{_one_line(actions)}, but {game} has planes of shape {game.observation_shape}, a mask of "
            f"{game.action_count} entries and the action space Discrete({game.action_count})"
        )
    check_values(model.observation_space)


def _one_line(space: object) -> str:
    return " ".join(str(space).split())
