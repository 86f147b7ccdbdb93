"""Digests of source files. They name cached compiled code, so that it is never older than the source it came from.

Compiled code depends on the module of its kernel and on all modules that this module can reach by imports, those inside
functions and for type checkers included. An edit of any other module leaves the digest, and therefore the cached code,
as it is; so does an edit of comments, docstrings or layout, because the digest is one of syntax trees. Parsing them
takes half a second, so what a source file has in its tree is kept on disk by the file's content.
"""

import ast
import atexit
import hashlib
import inspect
import json
import sys
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from numba import config
from platformdirs import user_cache_path

from ci_envs.storage.files import write_whole

_NAME = "ci_envs"
_FOLDER = Path(__file__).resolve().parents[1]
# in a source tree agents and baselines are links, which neither rglob nor a comparison of paths follows
_FOLDERS = tuple((_FOLDER / name).resolve() for name in (".", "agents", "baselines"))
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_SYNTAX_FILE = "syntax.json"
_KEPT = 2000  # syntax trees: of several checkouts


class _Syntax(NamedTuple):
    """What a source file has in its syntax tree.

    Attributes:
        digest: of the tree without docstrings.
        imports: the names that it imports from this package; some may be no modules.
    """

    digest: str
    imports: list[str]


def cache_root() -> Path:
    """The folder of the cache: ``NUMBA_CACHE_DIR`` if that is set, else one in the user's cache directory."""
    return Path(config.CACHE_DIR) if config.CACHE_DIR else user_cache_path("ci_envs")


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
    for name, file in sorted((_name_of(file), file) for file in files):
        digest.update(f"{name} {_syntax(file).digest} ".encode())
    return digest.hexdigest()[:16]


def _name_of(file: Path) -> str:
    """Return a file's name: for those of this package without the folder in which the package lies."""
    folder = next((folder for folder in _FOLDERS[::-1] if file.is_relative_to(folder)), None)
    return str(file) if folder is None else f"{_NAME} {folder.name} {file.relative_to(folder)}"


@cache
def _syntax(file: Path) -> _Syntax:
    content = file.read_bytes()
    key = hashlib.sha256(content).hexdigest()
    known = _known_syntax()
    if key not in known:
        known[key] = _parsed(content)
    return _Syntax(*known[key])


@lru_cache
def _known_syntax() -> dict[str, _Syntax]:
    """The syntax of files by their content; it is read from the cache once, and written when the process ends."""
    try:
        known = dict(json.loads((cache_root() / _SYNTAX_FILE).read_bytes()))
    except (OSError, ValueError, TypeError):  # there is none, or it is damaged
        known = {}
    atexit.register(_keep_syntax, known, len(known))
    return known


def _keep_syntax(known: dict[str, _Syntax], count: int) -> None:
    if len(known) == count:
        return
    newest = list(known.items())[-_KEPT:]
    with suppress(OSError):  # without a writable cache every process parses for itself
        cache_root().mkdir(parents=True, exist_ok=True)
        write_whole(cache_root() / _SYNTAX_FILE, json.dumps(dict(newest)).encode())


def _parsed(content: bytes) -> _Syntax:
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):  # a file beside a user's module that is not Python of this version
        return _Syntax(hashlib.sha256(content).hexdigest(), [])
    names = sorted(name for name in _imported(tree) if name.partition(".")[0] == _NAME)
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
            new += _syntax(file).imports
    return frozenset(reached.values())


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
