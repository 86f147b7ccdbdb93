"""Digests of source files. They name cached compiled code, so that it is never older than its sources.

Compiled code depends on the module of its kernel and on all modules that this module imports directly or indirectly,
including imports inside functions and for type checkers. An edit of another module does not change the digest. An edit
of comments, docstrings or layout does not change it either, because the digest is computed from syntax trees. Parsing
all sources takes half a second. Therefore the results are cached on disk by the content of each file.
"""

import ast
import hashlib
import inspect
import json
import os
import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from numba import config

from ci_envs.storage.checked_file import read_checked, write_checked
from ci_envs.storage.user_folders import user_cache

PACKAGE = "ci_envs"
"""The name of this package."""

_FOLDER = Path(__file__).resolve().parents[1]
# in a source tree agents and baselines are links, which rglob and comparisons of paths do not follow
_FOLDERS = tuple((_FOLDER / name).resolve() for name in (".", "agents", "baselines"))
_IMPORTERS = {"importlib", "runpy", "__import__", "exec"}
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_SYNTAX_FILE = "imports.json"
_KEPT = 2000  # syntax trees, enough for several checkouts


class _Syntax(NamedTuple):
    """The relevant parts of a source file's syntax tree.

    Attributes:
        digest: a digest of the tree without docstrings.
        imports: the names that the file imports. Some of them are not modules.
    """

    digest: str
    imports: list[str]


def cache_root() -> Path:
    """Return the folder of the cache: ``NUMBA_CACHE_DIR`` if it is set, else one in the user's cache directory.

    Raises:
        OSError: The variable is not set, and the user has no home directory.
    """
    return Path(config.CACHE_DIR) if config.CACHE_DIR else user_cache()


def sources_digest(objects: Iterable[Any]) -> str:
    """Return a hexadecimal digest of all sources on which compiled code of some classes or functions can depend.

    The sources in this package are the modules that the objects' modules import directly or indirectly. A module
    outside this package can depend on all modules of this package, and on its own package. If it is not in a package,
    it can depend on the modules of its folder that it imports directly or indirectly, or on all loaded ones if one of
    them imports by a name that is known only when it runs. Code that was typed at a prompt has no file: its digest is
    unique to the process.
    """
    files, outside = set[Path](), set[Path]()
    for item in objects:
        module = item.__module__
        if module.partition(".")[0] in sys.stdlib_module_names:
            continue
        if module.partition(".")[0] == PACKAGE:
            files |= _reachable_files(module)
            continue
        try:
            outside.add(Path(inspect.getfile(item)).resolve(strict=True))
        except (TypeError, OSError):  # the type of the error differs between versions of Python
            return uuid.uuid4().hex
    return _digest(frozenset(files.union(*(_project_files() | _sources_with(file) for file in outside))))


@lru_cache
def _digest(files: frozenset[Path]) -> str:
    digest = hashlib.sha256()
    for name, file in sorted((_name_of(file), file) for file in files):
        digest.update(os.fsencode(f"{name} {_syntax(file).digest} "))
    _syntax_cache().keep()
    return digest.hexdigest()[:16]


@cache
def _name_of(file: Path) -> str:
    """Return the name of a file. For a file of this package it does not contain the location of the package."""
    folder = next((folder for folder in _FOLDERS[::-1] if file.is_relative_to(folder)), None)
    return str(file) if folder is None else f"{PACKAGE} {folder.name} {file.relative_to(folder)}"


@cache
def _syntax(file: Path) -> _Syntax:
    return _syntax_cache().of(file.read_bytes())


class _SyntaxCache:
    """The syntax of files by content, which all processes share on the disk."""

    def __init__(self) -> None:
        self._known: dict[str, _Syntax] = {}
        self._is_kept, self._changed = True, 0

    def of(self, content: bytes) -> _Syntax:
        key = hashlib.sha256(content).hexdigest()
        if key not in self._known:
            self._read()
        if key not in self._known:
            self._known[key], self._is_kept = _parsed(content), False
        return _Syntax(*self._known[key])

    def _read(self) -> None:
        """Read what other processes wrote since the last time."""
        with suppress(OSError, ValueError, TypeError):  # the cache does not exist or is damaged
            file = cache_root() / _SYNTAX_FILE
            before, self._changed = self._changed, file.stat().st_mtime_ns
            if self._changed != before:
                self._known |= json.loads(read_checked(file))

    def keep(self) -> None:
        """Write it if it has new files. A process can end without notice, so its end would be too late."""
        if self._is_kept:
            return
        self._is_kept = True
        newest = list(self._known.items())[-_KEPT:]
        with suppress(OSError):  # without a writable cache each process parses the sources
            write_checked(cache_root() / _SYNTAX_FILE, json.dumps(dict(newest)).encode())


_syntax_cache = lru_cache(_SyntaxCache)


def _parsed(content: bytes) -> _Syntax:
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):  # a file next to a user's module that is not valid Python of this version
        return _Syntax(hashlib.sha256(content).hexdigest(), [])
    names = sorted({*_imported(tree)})
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body.pop(0)
    return _Syntax(hashlib.sha256(ast.dump(tree).encode()).hexdigest(), names)


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Name) and node.id in _IMPORTERS:
            yield node.id


@lru_cache
def _project_files() -> frozenset[Path]:
    return frozenset(file for folder in _FOLDERS for file in folder.rglob("*.py"))


@cache
def _reachable_files(module: str) -> frozenset[Path]:
    """Return the files of a module of this package and of all its modules that it imports directly or indirectly."""
    reached, new = dict[str, Path](), [module]
    while new:
        name = new.pop()
        file = _file_of(name)
        if name not in reached and file is not None:
            reached[name] = file
            new += _syntax(file).imports
    return frozenset(reached.values())


@cache
def _file_of(module: str) -> Path | None:
    """Return the file of a module of this package, or None if there is no such module."""
    package, *names = module.split(".")
    if package != PACKAGE:
        return None
    path = _FOLDER.joinpath(*names)
    candidates = path / "__init__.py", path.with_suffix(".py")
    return next((file.resolve() for file in candidates if file.is_file()), None)


def _sources_with(file: Path) -> set[Path]:
    top = file.parent
    if not (top / "__init__.py").exists():
        return _imported_beside(file)
    while (top.parent / "__init__.py").exists():
        top = top.parent
    return set(top.rglob("*.py"))


def _imported_beside(file: Path) -> set[Path]:
    reached, new = set[Path](), {file}
    while new:
        reached |= new
        names = {name.partition(".")[0] for source in new for name in _syntax(source).imports}
        found = {file.with_name(f"{name}.py") for name in names}
        if names & _IMPORTERS:
            # a copy, because other threads can import modules
            loaded = (str(getattr(module, "__file__", None)) for module in list(sys.modules.values()))
            found |= {Path(name) for name in loaded if name.startswith(str(file.parent))}
        new = {other for other in found - reached if _is_beside(other, file)}
    return reached


def _is_beside(other: Path, file: Path) -> bool:
    return other.suffix == ".py" and other.parent == file.parent and other.is_file()
