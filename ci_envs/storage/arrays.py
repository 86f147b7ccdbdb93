"""Arrays and plain values in one npz file. Nothing is ever unpickled."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.storage.files import write_whole


def write_arrays(path: Path, form: str, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write a file, whole or not at all, in a folder that is made if need be; equal contents make equal files.

    Args:
        path: of the file.
        form: name and version of the format.
        about: plain values.
        arrays: by name, none of which is ``about``.

    Raises:
        OSError: it cannot be written.
    """
    buffer = io.BytesIO()
    text = json.dumps({"format": form, **about}, default=np.generic.item).encode()
    named: dict[str, Any] = {"about": np.frombuffer(text, dtype=np.uint8), **arrays}
    np.savez(buffer, **named)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, buffer.getvalue())


def read_arrays(path: Path, form: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The plain values and the arrays of a file.

    Raises:
        OSError: it cannot be read.
        Exception: whatever damage makes NumPy and zipfile raise, or a ValueError if it is of another format.
    """
    content = io.BytesIO(path.read_bytes())
    with np.load(content, allow_pickle=False) as file:
        about = json.loads(file["about"].tobytes())
        if about["format"] != form:
            raise ValueError(f"of the version {about['format']!r}, not {form!r}")
        return about, {name: file[name] for name in file.files if name != "about"}
