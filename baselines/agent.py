"""An agent that plays by a model of Stable-Baselines3."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.policies import BasePolicy
from typing_extensions import override

from ci_envs.agent_interface.interface import Agent
from ci_envs.agent_interface.observations import Observation, ReadObservations, read_observation, read_observations
from ci_envs.baselines.model_file import read_model, shipped_models
from ci_envs.baselines.policies import preferences
from ci_envs.devices import torch_threads
from ci_envs.games.game import Game
from ci_envs.validation import true_or_false


class SB3Agent(Agent):
    """Agent that plays the legal action that a trained policy prefers: ``sb3:PATH``."""

    trainer: ClassVar[str | type] = "ci_envs.baselines.training:SB3Trainer"

    @staticmethod
    def checkpoints() -> Mapping[str, Path]:
        """Return the models that are included in the package, by name."""
        return shipped_models()

    def __init__(
        self, game: Game, path: str | Path | BasePolicy, *, deterministic: bool = True, seed: int | None = None
    ) -> None:
        """Make the agent.

        Args:
            game: the game that the model was trained for.
            path: the path of a file that :func:`baselines.save_model` or ``ci-envs train`` wrote, the name of an
                included model (``connect_four``, ``quixo``, ``tictactoe``), or a policy.
            deterministic: False draws actions from the softmax of the preferences, as in training.
            seed: the seed of these draws.

        Raises:
            ValueError: the file is not a model file, or is for another game.
            OSError: the file cannot be read.
        """
        super().__init__(game, seed=seed)
        self.deterministic = true_or_false("deterministic", deterministic)
        self._policy = path if isinstance(path, BasePolicy) else read_model(path).policy(game)

    @override
    def act(self, observation: Observation) -> int:
        return int(self._choose(read_observation(self.game, observation))[0])

    @override
    def act_batch(self, observations: Observation) -> NDArray[np.int64]:
        return self._choose(read_observations(self.game, observations))

    def _choose(self, read: ReadObservations) -> NDArray[np.int64]:
        with torch_threads(1):  # with more threads, small networks are slower: up to a hundred times on a busy machine
            scores = preferences(self._policy, torch.from_numpy(read.planes)).numpy()
        if not self.deterministic:  # the Gumbel-max trick draws from the softmax
            scores = scores + self.rng.gumbel(size=scores.shape)
        actions: NDArray[np.int64] = np.where(read.masks, scores, -np.inf).argmax(axis=1)
        return actions
