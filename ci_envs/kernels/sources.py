"""Digests of source files. They name cached compiled code, so that it is never older than the source it came from.

Compiled code depends on the module of its kernel and on all modules that this module can reach by imports. The imports
are read from the source text: imports inside functions and those for type checkers count too. An edit of any other
module leaves the digest, and therefore the cached code, as it is.
"""

import hashlib
import inspect
import re
import sys
import uuid
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

_NAME = "ci_envs"
_FOLDER = Path(__file__).resolve().parents[1]
# in a source tree agents and baselines are links, which neither rglob nor a comparison of paths follows
_FOLDERS = tuple((_FOLDER / name).resolve() for name in (".", "agents", "baselines"))
_IMPORT = re.compile(rf"\bfrom\s+({_NAME}[\w.]*)\s+import\s+(\([^)]*\)|[^\n]+)|\bimport\s+({_NAME}[\w.]*)")


def sources_digest(objects: Iterable[Any]) -> str:
    """Return a digest of all sources on which compiled code of some classes or functions can depend (hexadecimal).

    Those of this package are the modules that the objects' modules reach by imports. A module elsewhere may depend on
    every module of this package, and on its own package, or, where it is in no package, on the loaded modules beside
    it. Code that was typed at a prompt has no file to watch: its digest is never repeated in another process.
    """
    files: set[Path] = set()
    for item in objects:
        module = item.__module__
        if module.partition(".")[0] in sys.stdlib_module_names:
            continue
        if module.partition(".")[0] == _NAME:
            files |= _reachable_files(module)
            continue
        try:
            file = Path(inspect.getfile(item)).resolve(strict=True)
        except (TypeError, OSError):  # the kind of error differs between versions of Python
            return uuid.uuid4().hex
        files |= _project_files() | _sources_with(file)
    return _digest(frozenset(files))


@lru_cache
def _digest(files: frozenset[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(str(file).encode())
        digest.update(_content(file))
    return digest.hexdigest()[:16]


@cache
def _content(file: Path) -> bytes:
    return file.read_bytes()


@lru_cache
def _project_files() -> frozenset[Path]:
    return frozenset(file for folder in _FOLDERS for file in folder.rglob("*.py"))


@cache
def _reachable_files(module: str) -> frozenset[Path]:
    """Return the files of a module of this package and of all modules of it that it reaches by imports."""
    reached, new = dict[str, Path](), [module]
    while new:
        name = new.pop()
        file = _file_of(name)
        if name not in reached and file is not None:
            reached[name] = file
            new += _imports_of(file)
    return frozenset(reached.values())


@cache
def _imports_of(file: Path) -> frozenset[str]:
    """Return the names that a source file imports from this package; some may be no modules."""
    names: set[str] = set()
    for package, imported, module in _IMPORT.findall(_content(file).decode()):
        names.add(package or module)
        names |= {f"{package}.{name}" for name in re.findall(r"\w+", imported)}
    return frozenset(names)


@cache
def _file_of(module: str) -> Path | None:
    """Return the file of a module of this package, None if there is none of this name."""
    path = _FOLDER.joinpath(*module.split(".")[1:])
    candidates = path / "__init__.py", path.with_suffix(".py")
    return next((file.resolve() for file in candidates if file.is_file()), None)


def _sources_with(file: Path) -> set[Path]:
    top = file.parent
    if not (top / "__init__.py").exists():
        loaded = {Path(getattr(module, "__file__", None) or "") for module in sys.modules.values()}
        return {file, *(other for other in loaded if other.parent == top and other.suffix == ".py")}
    while (top.parent / "__init__.py").exists():
        top = top.parent
    return set(top.rglob("*.py"))
