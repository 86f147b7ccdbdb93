"""Arrays and plain values in one npz file. Reading it unpickles nothing."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.storage.files import write_whole
from ci_envs.storage.formats import ZIP, read_file


def write_arrays(path: Path, form: str, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file atomically. Equal contents give equal files.

    Args:
        path: the path of the file. Its folder is created if necessary.
        form: name and version of the format.
        about: plain values.
        arrays: the arrays by name. The name ``about`` is not allowed.

    Raises:
        OSError: the file cannot be written.
    """
    buffer = io.BytesIO()
    text = json.dumps({"format": form, **about}, default=np.generic.item).encode()
    named: dict[str, Any] = {"about": np.frombuffer(text, dtype=np.uint8), **arrays}
    np.savez(buffer, **named)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, buffer.getvalue())


def read_arrays(path: Path, form: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the plain values and the arrays of a file.

    Raises:
        OSError: the file cannot be read.
        Exception: the file is damaged (any exception of NumPy or zipfile), or has another format (ValueError).
    """
    content = read_file(path, form)
    if not content.startswith(ZIP):
        raise ValueError("it is not a file of arrays")
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        about = json.loads(file["about"].tobytes())
        if about["format"] != form:
            raise ValueError(f"its format is {about['format']!r}, not {form!r}")
        return about, {name: file[name] for name in file.files if name != "about"}
