"""Digests of source files: the names under which compiled code is cached, so that it is never older than its source."""

import hashlib
import inspect
import uuid
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = tuple(_ROOT / name for name in ("ci_envs", "agents", "baselines"))


def _digest(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(str(file).encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@lru_cache
def project_digest() -> str:
    """Digest of every source file of this project, whichever package it is in (hexadecimal)."""
    return _digest(file for package in _PACKAGES for file in package.rglob("*.py"))


def foreign_digest(objects: Iterable[object]) -> str:
    """Digest of the sources that define ``objects``, as far as they lie outside this project.

    The source of a module in a package is the whole package; that of any other module is its file. What was typed at a
    prompt has no file to watch: it gets a digest that no other process will ever produce. Empty where every
    object is the project's own.
    """
    files: set[Path] = set()
    for item in objects:
        try:
            file = Path(inspect.getfile(item)).resolve()  # type: ignore[arg-type]
        except (TypeError, OSError):  # Python 3.11 to 3.14 differ in which
            return uuid.uuid4().hex
        if any(file.is_relative_to(package) for package in _PACKAGES):
            continue
        if not file.exists():
            return uuid.uuid4().hex
        files.update(_package_files(file))
    return _digest(files) if files else ""


def _package_files(file: Path) -> set[Path]:
    top = file.parent
    if not (top / "__init__.py").exists():
        return {file}
    while (top.parent / "__init__.py").exists():
        top = top.parent
    return set(top.rglob("*.py"))
