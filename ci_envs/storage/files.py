"""Files that are written atomically: either completely or not at all."""

import csv
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def write_whole(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path`` atomically. After a crash the file has its previous content.

    Raises:
        OSError: the file cannot be written.
    """
    temporary = path.with_name(temporary_name(path.name, os.getpid()))
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def temporary_name(name: str, process: int | str) -> str:
    """Return the temporary name of a file while a process writes it. A killed process leaves such a file behind."""
    return f".{name}.{process}.tmp"


def write_csv(path: Path, rows: Iterable[Sequence[Any]]) -> None:
    """Write rows as CSV atomically. The folder is created if necessary.

    Raises:
        OSError: the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, csv_text(rows).encode())


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV. None is an empty cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def shipped_files(folder: Path, prefix: str, suffix: str) -> dict[str, Path]:
    """Return the files in ``folder`` that are included in the package, by their names for :func:`shipped_file`."""
    found = sorted(folder.glob(f"{prefix}*{suffix}"))
    return {file.name.removeprefix(prefix).removesuffix(suffix): file for file in found}


def shipped_file(path: str | Path, folder: Path, prefix: str, suffix: str) -> Path:
    """Return the file of a path or of the name of an included file in ``folder``.

    ``name`` means ``folder/{prefix}name{suffix}``, unless a file ``name`` exists.

    Raises:
        ValueError: ``path`` is not a text.
    """
    if not isinstance(path, str | Path):
        raise ValueError(f"the path of a file must be a text, not {path!r}")
    own, shipped = Path(path), folder / f"{prefix}{path}{suffix}"
    return shipped if own.name == str(path) and shipped.is_file() and not own.exists() else own
