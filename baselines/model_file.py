"""Model files: the weights of a policy as safetensors, and its description as JSON. Reading them unpickles nothing.

The zip files of Stable-Baselines3 contain pickled objects, and loading these can execute any code
(:mod:`ci_envs.baselines.model_zip`). ``ci-envs convert`` writes a model file for a zip file whose origin you know.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import BasePolicy

from ci_envs.agent_interface.making import game_of
from ci_envs.agents.search.lookahead import MAX_LOOKAHEAD
from ci_envs.baselines.policies import PolicyArchitecture, check_spaces, network_of
from ci_envs.baselines.shipped_models import model_path
from ci_envs.games.game import Game
from ci_envs.storage.named_parts import part_of, with_part
from ci_envs.storage.tensors import read_tensors, write_tensors
from ci_envs.validation import integer_between

_FORMAT = "ci_envs sb3 1"
_POLICY = "policy"


@dataclass(frozen=True)
class SB3ModelFile:
    """The contents of a model file.

    Attributes:
        path: the file.
        network: the description of the policy.
        game: the ``repr`` of the game that the policy was trained for.
        steps: number of training steps.
        tensors: all tensors by name. The names of the policy's tensors begin with ``policy.``.
        notes: additional plain values.
        lookahead: the plies of the look-ahead with which the agent ``sb3:PATH`` plays.
    """

    path: str
    network: PolicyArchitecture
    game: str
    steps: int
    tensors: Mapping[str, torch.Tensor]
    notes: Mapping[str, Any]
    lookahead: int

    def policy(self, game: Game) -> BasePolicy:
        """Make the policy.

        Args:
            game: the game that the policy was trained for.

        Raises:
            ValueError: the policy was trained for another game, or the weights do not fit the description.
        """
        if self.game != repr(game):
            raise ValueError(f"{self.path!r} was trained for {self.game}, not for {game}")
        policy = self.network.new_policy(game)
        try:
            policy.load_state_dict(part_of(self.tensors, _POLICY))
        except RuntimeError:
            raise ValueError(f"{self.path!r} is damaged: its weights do not fit {self.network}") from None
        return policy


def save_model(model: BaseAlgorithm, game: Game, path: str | Path) -> None:
    """Write the policy of a Stable-Baselines3 model to a file for the agent ``sb3:PATH``.

    Args:
        model: a model of MaskablePPO, PPO, A2C or DQN with an ``MlpPolicy``.
        game: the game that the policy was trained for.
        path: the path of the file, by convention ``*.safetensors``.

    Raises:
        ValueError: the model is of another kind, or its spaces differ from those of the game.
        OSError: the file cannot be written.

    Examples:
        >>> import gymnasium
        >>> from ci_envs.baselines import save_model
        >>> from sb3_contrib import MaskablePPO
        >>> env = gymnasium.make("ci_envs/TicTacToe-v0")
        >>> model = MaskablePPO("MlpPolicy", env).learn(10_000)  # doctest: +SKIP
        >>> save_model(model, env.unwrapped.game, "model.safetensors")  # doctest: +SKIP
    """
    check_ending(Path(path))
    game, network = game_of(game), network_of(model)
    spaces = model.observation_space.shape, getattr(model.action_space, "n", None)
    if spaces != (network.observation_shape(game), game.action_count):
        raise ValueError(f"the model has planes and actions of {spaces}, which differ from those of {game}")
    check_spaces(model, game)
    normaliser = model.get_vec_normalize_env()
    if normaliser is not None and normaliser.norm_obs:
        raise ValueError("the model was trained with VecNormalize, whose statistics are not in the file")
    write_model(Path(path), network, game, model.num_timesteps, model.policy.state_dict())


def check_ending(path: Path) -> None:
    """Raise a ValueError if a file would not be read as a model file because of its ending."""
    if path.suffix == ".zip":
        raise ValueError(f"{str(path)!r} would be read as a zip file of Stable-Baselines3: choose another ending")


def write_model(
    path: Path,
    network: PolicyArchitecture,
    game: Game,
    steps: int,
    weights: Mapping[str, torch.Tensor],
    notes: Mapping[str, Any] | None = None,
    lookahead: int = 0,
) -> None:
    """Write a model file atomically.

    Args:
        path: the path of the file.
        network: the description of the policy.
        game: the game that the policy was trained for.
        steps: number of training steps.
        weights: the state dictionary of the policy.
        notes: additional plain values.
        lookahead: the plies of the look-ahead with which the agent ``sb3:PATH`` plays.

    Raises:
        ValueError: a weight is not finite. An earlier file at ``path`` is kept.
        OSError: the file cannot be written.
    """
    about = {
        "format": _FORMAT,
        "network": network.to_dict(),
        "game": repr(game),
        "steps": steps,
        "notes": dict(notes or {}),
        "lookahead": lookahead,
    }
    write_tensors(path, with_part(_POLICY, weights), about)


def read_model(path: str | Path) -> SB3ModelFile:
    """Read a model file.

    Args:
        path: the path of a file, or the name of an included model.

    Raises:
        ValueError: the file is damaged, or is not a model file.
        OSError: the file cannot be read.
    """
    tensors, about = read_tensors(model_path(path), _FORMAT)
    try:
        network = PolicyArchitecture(**about["network"])
        lookahead = integer_between("lookahead", about.get("lookahead", 0), 0, MAX_LOOKAHEAD)
        return SB3ModelFile(str(path), network, about["game"], about["steps"], tensors, about["notes"], lookahead)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{str(path)!r} is not a valid model file: {error}") from None
