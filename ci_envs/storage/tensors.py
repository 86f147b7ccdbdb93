"""Tensors and plain values in one safetensors file. Nothing is ever unpickled."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from ci_envs.storage.files import write_whole

_LARGEST_HEADER = 100_000_000  # bytes; the limit of safetensors


def write_tensors(path: Path, tensors: Mapping[str, torch.Tensor], about: Mapping[str, Any]) -> None:
    """Write a file, whole or not at all; equal contents make equal files.

    Raises:
        ValueError: a tensor has infinite values or some that are no numbers; what ``path`` held before is kept.
        OSError: the file cannot be written.
    """
    for name, tensor in tensors.items():
        if not tensor.isfinite().all():
            raise ValueError(f"{str(path)!r} is not written: {name} is not finite")
    contiguous = {name: tensor.detach().cpu().clone().contiguous() for name, tensor in tensors.items()}
    write_whole(path, save(contiguous, {"about": json.dumps(about)}))  # several keys come in random order


def read_metadata(path: Path) -> dict[str, Any]:
    """Return the plain values of a file without its tensors; only the header is read.

    Raises:
        ValueError: The file is damaged or not a safetensors file.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > _LARGEST_HEADER:
            raise ValueError(f"{str(path)!r} is no safetensors file: its header would have {size:,} bytes")
        return _metadata(file.read(size))


def _metadata(header: bytes) -> dict[str, Any]:
    """Return the plain values that the header of a file holds."""
    texts: dict[str, str] = json.loads(header)["__metadata__"]
    return {**texts, **json.loads(texts.get("about", "{}"))}


def read_tensors(path: Path, form: str) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """The tensors of a file, and the plain values, of which ``format`` must be ``form``.

    Raises:
        ValueError: it is damaged or something else.
        OSError: it cannot be read.
    """
    content = path.read_bytes()
    if content[:2] == b"PK":
        raise ValueError(
            f"{str(path)!r} is a zip file, as PyTorch and Stable-Baselines3 write, which holds pickled code: if you"
            " trust a model of Stable-Baselines3, load it there and keep it with baselines.save_model"
        )
    try:
        tensors = load(content)
        about = _metadata(content[8 : 8 + int.from_bytes(content[:8], "little")])
        if about.get("format") != form:
            raise ValueError(f"its format is {about.get('format')!r}, not {form!r}")
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{str(path)!r} is no model of ci_envs, or damaged: {error}") from None
    return tensors, about
