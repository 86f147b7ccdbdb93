"""Tensors and plain values in one safetensors file. Reading it unpickles nothing.

PyTorch is imported only for its tensors: without it, :func:`read_arrays` reads the same files.
"""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from ci_envs.storage.files import write_whole
from ci_envs.storage.formats import ZIP, read_file
from ci_envs.storage.json_text import parse_json

if TYPE_CHECKING:
    import torch

_CHECKSUM = "sha256"
_LARGEST_HEADER = 100_000_000  # bytes, the limit of safetensors


def write_tensors(path: Path, tensors: "Mapping[str, torch.Tensor]", about: Mapping[str, Any]) -> None:
    """Write a file atomically, with a checksum of the tensors. Equal contents give equal files.

    Raises:
        ValueError: a tensor has values that are not finite. An earlier file at ``path`` is kept.
        OSError: the file cannot be written.
    """
    from safetensors.torch import save

    for name, tensor in tensors.items():
        if not tensor.isfinite().all():
            raise ValueError(f"{str(path)!r} is not written: {name} is not finite")
    contiguous = {name: tensor.detach().cpu().clone().contiguous() for name, tensor in tensors.items()}
    checked = {**about, _CHECKSUM: _checksum({name: tensor.numpy() for name, tensor in contiguous.items()})}
    write_whole(path, save(contiguous, {"about": json.dumps(checked)}))  # one key, because several have a random order


def read_metadata(path: Path) -> dict[str, Any]:
    """Return the plain values of a file without its tensors. Only the header of the file is read.

    Raises:
        ValueError: The file is damaged or not a safetensors file.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > _LARGEST_HEADER:
            raise ValueError(f"{str(path)!r} is not a safetensors file: its header would have {size:,} bytes")
        return _metadata(file.read(size))


def _metadata(header: bytes) -> dict[str, Any]:
    """Return the plain values in the header of a file."""
    texts: dict[str, str] = parse_json(header)["__metadata__"]
    return {**texts, **parse_json(texts.get("about", "{}"))}


def read_tensors(path: Path, form: str) -> "tuple[dict[str, torch.Tensor], dict[str, Any]]":
    """Return the tensors of PyTorch and the plain values of a file. The value ``format`` must be ``form``.

    Raises:
        ValueError: the file is damaged, or has another format.
        OSError: the file cannot be read.
    """
    import torch

    arrays, about = read_arrays(path, form)
    return {name: torch.from_numpy(array) for name, array in arrays.items()}, about


def read_arrays(path: Path, form: str) -> tuple[dict[str, NDArray[np.generic]], dict[str, Any]]:
    """Return the tensors as arrays, and the plain values of a file. The value ``format`` must be ``form``.

    Raises:
        ValueError: the file is damaged, or has another format.
        OSError: the file cannot be read.
    """
    content = read_file(path, form)
    if content.startswith(ZIP):
        raise ValueError(
            f"{str(path)!r} is a zip file of PyTorch or Stable-Baselines3, which contains pickled code. To use a model"
            " that you trust, load it with Stable-Baselines3 and write it with ci_envs.baselines.save_model"
        )
    try:
        arrays = load(content)
        about = _metadata(content[8 : 8 + int.from_bytes(content[:8], "little")])
        if about.get("format") != form:
            raise ValueError(f"its format is {about.get('format')!r}, not {form!r}")
        for name, array in arrays.items():
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                raise ValueError(f"{name} is not finite")
        if about.pop(_CHECKSUM, None) not in (None, _checksum(arrays)):  # earlier versions wrote no checksum
            raise ValueError("its checksum does not fit the tensors")
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{str(path)!r} is not a valid model file: {error}") from None
    return arrays, about


def _checksum(arrays: Mapping[str, NDArray[np.generic]]) -> str:
    """Return the checksum of arrays. It does not depend on their order."""
    digest = sha256()
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
