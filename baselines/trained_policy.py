"""The policies of Stable-Baselines3 and sb3-contrib with which agents play."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from zipfile import is_zipfile

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.vec_env import VecNormalize

from ci_envs.agent_interface.adapters import fitted
from ci_envs.agent_interface.observations import ReadObservations
from ci_envs.baselines.model_file import read_model
from ci_envs.baselines.model_zip import load_zip
from ci_envs.baselines.policies import check_spaces, has_preferences, preferences
from ci_envs.devices import torch_threads
from ci_envs.games.game import Game


@dataclass(frozen=True)
class TrainedPolicy:
    """A policy that prefers some actions to others.

    Attributes:
        policy: the policy.
        lookahead: the plies of the look-ahead with which it plays.
        normaliser: the normalisation of the observations with which it was trained, or None.
    """

    policy: BasePolicy
    lookahead: int = 0
    normaliser: VecNormalize | None = None

    @classmethod
    def of(cls, source: str | Path | BasePolicy | BaseAlgorithm, game: Game, *, trust: bool) -> Self:
        """Return the policy of a file or a model.

        Args:
            source: the path of a file, the name of an included model, a model, or a policy.
            game: the game that the model was trained for.
            trust: whether the file can be a zip file of Stable-Baselines3.

        Raises:
            ValueError: the file is not a model file, or the model is for another game or has no preferences.
            OSError: the file cannot be read.
        """
        if not isinstance(source, BasePolicy | BaseAlgorithm):
            if not (
                isinstance(source, str | Path) and (Path(source).suffix == ".zip" or (trust and is_zipfile(source)))
            ):
                file = read_model(source)
                trained = cls(file.policy(game), file.lookahead)
                check_spaces(trained.policy, game)
                return trained
            source = load_zip(source, trust=trust)
        check_spaces(source, game)
        policy = source.policy if isinstance(source, BaseAlgorithm) else source
        if not has_preferences(policy):
            raise ValueError(
                f"{type(policy).__name__} has neither probabilities nor values of actions. Load it in Python and "
                "give the model to compare or as_agent"
            )
        return cls(policy, normaliser=source.get_vec_normalize_env() if isinstance(source, BaseAlgorithm) else None)

    def preferences(self, read: ReadObservations) -> NDArray[np.floating[Any]]:
        """Return the preferences for all actions of n positions, legal or not, float32 of shape (n, actions)."""
        policy: Any = self.policy
        if policy.training:  # a batch normalisation or a dropout layer behaves differently in training
            policy.set_training_mode(False)
        observations = fitted({"observation": read.planes, "action_mask": read.masks}, policy.observation_space)
        if self.normaliser is not None:
            observations = self.normaliser.normalize_obs(observations)
        with torch_threads(1):  # with more threads, small networks are slower: up to a hundred times on a busy machine
            scores: NDArray[np.floating[Any]] = preferences(policy, observations).numpy()
        return scores
