"""Files that are either whole or not there."""

import csv
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def write_whole(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``, which gets its name when it is complete: a crash leaves what was there before.

    Raises:
        OSError: it cannot be written.
    """
    temporary = path.with_name(temporary_name(path.name, os.getpid()))
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def temporary_name(name: str, process: int | str) -> str:
    """Return the name that a file has while a process writes it; a killed process leaves it behind."""
    return f".{name}.{process}.tmp"


def write_csv(path: Path, rows: Iterable[Sequence[Any]]) -> None:
    """Write rows as CSV, whole or not at all, in a folder that is made if need be.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, csv_text(rows).encode())


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV; None is an empty cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def shipped_files(folder: Path, prefix: str, suffix: str) -> dict[str, Path]:
    """The files that come with the package in ``folder``, by the names that :func:`shipped_file` knows them by."""
    found = sorted(folder.glob(f"{prefix}*{suffix}"))
    return {file.name.removeprefix(prefix).removesuffix(suffix): file for file in found}


def shipped_file(path: str | Path, folder: Path, prefix: str, suffix: str) -> Path:
    """The file that ``path`` names: one that comes with the package in ``folder``, if there is one of that name.

    ``name`` means ``folder/{prefix}name{suffix}`` unless there is a file ``name``.

    Raises:
        ValueError: ``path`` is no text.
    """
    if not isinstance(path, str | Path):
        raise ValueError(f"the path of a file is a text, not {path!r}")
    own, shipped = Path(path), folder / f"{prefix}{path}{suffix}"
    return shipped if own.name == str(path) and shipped.is_file() and not own.exists() else own
