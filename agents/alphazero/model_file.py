"""Trained networks on disk; some come with the package."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch

from ci_envs.agents.alphazero.network import Architecture, Network
from ci_envs.games.game import Game
from ci_envs.storage.files import shipped_files
from ci_envs.storage.tensors import read_metadata, read_tensors, write_tensors

_FORMAT = "ci_envs alphazero 2"
_MODELS = Path(__file__).with_name("models")


@dataclass(frozen=True, eq=False)
class ModelFile:
    """What a file holds.

    Attributes:
        network: with its weights.
        tensors: whatever other tensors there are, by name.
        notes: how it was made, plain values.
    """

    network: Network
    tensors: Mapping[str, torch.Tensor]
    notes: Mapping[str, Any]


def write_model(
    path: Path,
    network: Network,
    game: Game,
    notes: Mapping[str, Any],
    tensors: Mapping[str, torch.Tensor] | None = None,
) -> None:
    """Write a model file, whole or not at all.

    Raises:
        ValueError: weights are no numbers; what ``path`` held before is kept.
        OSError: the file cannot be written.
    """
    about = {
        "format": _FORMAT,
        "game": repr(game),
        "architecture": network.architecture.to_dict(),
        "notes": dict(notes),
    }
    weights = {f"network.{name}": tensor for name, tensor in network.state_dict().items()}
    write_tensors(path, weights | dict(tensors or {}), about)


def shipped_models() -> dict[str, Path]:
    """The networks that come with the package, by name."""
    return shipped_files(_MODELS, "", ".safetensors")


def shipped_model(game: Game) -> Path:
    """The model of a game that comes with the package (CHECKPOINTS.md says how each was made and how good it is).

    Raises:
        ValueError: there is none of this game.
    """
    models = _models_by_game()
    if repr(game) not in models:
        raise ValueError(f"no network for {game} comes with the package, only for {', '.join(models)}: give its path")
    return models[repr(game)]


@cache
def _models_by_game() -> dict[str, Path]:
    """Return the networks that come with the package by the game that each file names; only headers are read."""
    return {read_metadata(path)["game"]: path for path in shipped_models().values()}


def read_model(path: str | Path, game: Game) -> ModelFile:
    """Read a model file.

    Raises:
        ValueError: it is damaged, something else, or of another game.
        OSError: it cannot be read.
    """
    tensors, about = read_tensors(Path(path), _FORMAT)
    if about.get("game") != repr(game):
        raise ValueError(f"{str(path)!r} was trained for {about.get('game')}, not for {game}")
    weights = {name.removeprefix("network."): tensors.pop(name) for name in [*tensors] if name.startswith("network.")}
    try:
        network = Network(game, Architecture(**about["architecture"]))
        network.load_state_dict(weights)
        notes = dict(about["notes"])
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{str(path)!r} is no network that can play here: {reason}") from None
    return ModelFile(network.eval(), tensors, notes)
