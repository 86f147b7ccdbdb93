"""The formats of the files of this package. A file contains the name of its format among its plain values."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from ci_envs.storage.files import read_whole

ZIP = b"PK"
"""The first bytes of a zip file, for example a file of arrays (npz)."""


def read_file(path: Path, form: str) -> bytes:
    """Return the content of a file that should have the format ``form``, which the caller checks.

    Raises:
        ValueError: The file has another format of this package. The message says what the file is.
        OSError: The file cannot be read. If it is the folder of a run, the message names the file in it.
    """
    try:
        content = read_whole(path)
    except IsADirectoryError:
        best = min(path.glob("best.*"), default=None)
        raise IsADirectoryError(f"{str(path)!r} is a folder: write {best or 'the path of a file'}") from None
    about = plain_values(content)
    found = str(about.get("format"))
    if found.startswith("ci_envs ") and found.rpartition(" ")[0] != form.rpartition(" ")[0]:  # not only the version
        kind = found.split()[1]
        agent = about.get("method", about.get("agent", kind))
        if kind in ("checkpoint", "evolution"):
            raise ValueError(f"{str(path)!r} has the state of a run: write the path of its best agent instead")
        raise ValueError(f"{str(path)!r} ({found}) is a file of the agent {agent}: write {agent}:{path}")
    return content


def plain_values(content: bytes) -> dict[str, Any]:
    """Return the plain values of an npz file, a safetensors file or a JSON file. They are empty for other contents."""
    try:
        if content.startswith(ZIP):
            with np.load(io.BytesIO(content), allow_pickle=False) as file:
                return dict(json.loads(file["about"].tobytes()))
        if content.startswith(b"{"):
            return dict(json.loads(content))
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        return dict(json.loads(header["__metadata__"]["about"]))
    except Exception:  # NumPy and zipfile raise many types of exceptions
        return {}
