"""Files of trained networks. Some networks are included in the package."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.agents.alphazero.architecture import Architecture
from ci_envs.agents.alphazero.quantization import activation_ranges
from ci_envs.games.game import Game
from ci_envs.storage.files import shipped_file, shipped_files
from ci_envs.storage.named_parts import part_of, with_part
from ci_envs.storage.tensors import read_arrays, read_metadata, write_tensors

if TYPE_CHECKING:
    from ci_envs.agents.alphazero.network import Network

_FORMAT = "ci_envs alphazero 2"
_MODELS = Path(__file__).with_name("models")


@dataclass(frozen=True, eq=False)
class ModelFile:
    """The contents of a file.

    Attributes:
        network: the network with its weights.
        notes: plain values that describe its training.
    """

    network: "Network"
    notes: Mapping[str, Any]


def write_model(path: Path, network: "Network", game: Game, notes: Mapping[str, Any]) -> None:
    """Write a model file atomically.

    Raises:
        ValueError: a weight is not finite; an earlier file at ``path`` is kept.
        OSError: the file cannot be written.
    """
    about = {
        "format": _FORMAT,
        "game": repr(game),
        "architecture": network.architecture.to_dict(),
        "activation_ranges": activation_ranges(network, game),
        "notes": dict(notes),
    }
    write_tensors(path, with_part("network", network.state_dict()), about)


def shipped_models() -> dict[str, Path]:
    """Return the networks that are included in the package, by name."""
    return shipped_files(_MODELS, "", ".safetensors")


def shipped_model(game: Game) -> Path:
    """Return the included network for a game, of several the first by name.

    CHECKPOINTS.md states its training and its strength.

    Raises:
        ValueError: no network for this game is included.
    """
    models = _models_by_game()
    if repr(game) not in models:
        raise ValueError(f"no network for {game} is included, only for {', '.join(models)}: give the path of a file")
    return models[repr(game)]


@cache
def _models_by_game() -> dict[str, Path]:
    """Return the included networks by the game that each file names. Only the headers of the files are read."""
    first_last = reversed(shipped_models().values())  # the first by name replaces the others of its game
    return {read_metadata(path)["game"]: path for path in first_last}


def read_model(path: str | Path, game: Game) -> ModelFile:
    """Read a model file into a network of PyTorch.

    Raises:
        ValueError: the file is damaged, of another format, or of another game.
        OSError: the file cannot be read.
    """
    import torch

    from ci_envs.agents.alphazero.network import new_network

    weights, about = _read_weights(path, game)
    try:
        network = new_network(game, Architecture(**about["architecture"]))
        network.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
        notes = dict(about["notes"])
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise _invalid(path, error) from None
    return ModelFile(network.eval(), notes)


def read_onnx_model(path: str | Path, game: Game, *, integers: bool = True) -> bytes:
    """Read a model file into a model of ONNX, without importing PyTorch.

    Args:
        path: the path of the file, or the name of an included network.
        game: the game of the network.
        integers: whether convolutions compute with integers. Files of earlier versions lack the ranges for this, so
            they are measured.

    Raises:
        ValueError: the file is damaged, of another format, or of another game.
        OSError: the file cannot be read.
    """
    from ci_envs.agents.alphazero.onnx_graph import onnx_model  # lists of agents do not need it

    weights, about = _read_weights(path, game)
    try:
        architecture = Architecture(**about["architecture"])
        network = _Weights(architecture, game.observation_shape, game.action_count, weights)
        if not integers:
            return onnx_model(network)
        ranges = about.get("activation_ranges")
        return onnx_model(network, activation_ranges(network, game) if ranges is None else ranges)
    except (KeyError, TypeError, ValueError) as error:
        raise _invalid(path, error) from None


@dataclass(frozen=True, eq=False)
class _Weights:
    """The weights of a file, as :class:`~ci_envs.agents.alphazero.architecture.HasWeights`."""

    architecture: Architecture
    observation_shape: tuple[int, int, int]
    action_count: int
    arrays: dict[str, NDArray[np.float32]]

    def weights(self) -> dict[str, NDArray[np.float32]]:
        return self.arrays


def _read_weights(path: str | Path, game: Game) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the weights by name, and the plain values of a file, or of an included network by its name."""
    arrays, about = read_arrays(shipped_file(path, _MODELS, "", ".safetensors"), _FORMAT)
    if about.get("game") != repr(game):
        raise ValueError(f"{str(path)!r} was trained for {about.get('game')}, not for {game}")
    return part_of(arrays, "network"), about


def _invalid(path: str | Path, error: Exception) -> ValueError:
    reason = str(error).partition("\n")[0]
    return ValueError(f"{str(path)!r} is not a valid network file: {reason}")
