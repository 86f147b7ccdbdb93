"""Digests of source files: the names under which compiled code is cached, so that it is never older than its source."""

import hashlib
import inspect
import sys
import uuid
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
# in a source tree the last two are links, which neither rglob nor a comparison of paths follows
_PACKAGES = tuple((_ROOT / name).resolve() for name in (".", "agents", "baselines"))


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


def foreign_digest(objects: Iterable[Any]) -> str:
    """Digest of the sources that define classes or functions, as far as they lie outside this project and Python.

    The source of a module in a package is the whole package; that of any other module is its file and the modules
    beside it that are loaded. What was typed at a prompt has no file to watch: it gets a digest that no other process
    will ever produce. Empty where there is nothing to watch.
    """
    files: set[Path] = set()
    for item in objects:
        if item.__module__.partition(".")[0] in sys.stdlib_module_names:
            continue
        try:
            file = Path(inspect.getfile(item)).resolve(strict=True)
        except (TypeError, OSError):  # the kind of error differs between versions of Python
            return uuid.uuid4().hex
        if not any(file.is_relative_to(package) for package in _PACKAGES):
            files.update(_sources_with(file))
    return _digest(files) if files else ""


def _sources_with(file: Path) -> set[Path]:
    top = file.parent
    if not (top / "__init__.py").exists():
        loaded = {Path(getattr(module, "__file__", None) or "") for module in sys.modules.values()}
        return {file, *(other for other in loaded if other.parent == top and other.suffix == ".py")}
    while (top.parent / "__init__.py").exists():
        top = top.parent
    return set(top.rglob("*.py"))
