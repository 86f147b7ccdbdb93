"""The cache of compiled code on disk.

Numba's own disk cache tracks only the file of the outermost function. So it would reuse a stale search after an edit of
a game's rules, and discard valid code after an edit of a comment. In this cache, the code of a kernel is in a folder
that is named by a digest of all sources that the kernel can depend on (:mod:`ci_envs.kernels.sources`). The files in
the folder are named by the function and its bytecode, independent of its line in the source file.
"""

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any, Self

import llvmlite
import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, UserProvidedCacheLocator
from typing_extensions import override

from ci_envs.kernels.sources import cache_root, sources_digest

_KEPT_SECONDS = 7 * 24 * 3600


@lru_cache
def cache_folder(digest: str) -> Path | None:
    """Return the folder for kernels whose sources have this digest, or None if it cannot be written.

    The folder is below :func:`~ci_envs.kernels.sources.cache_root`.
    """
    folder = cache_root() / "kernels" / "-".join((numba.__version__, llvmlite.__version__, digest))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError:
        return None
    if not os.access(folder, os.W_OK):
        return None
    _remove_unused(folder.parent)
    return folder


@lru_cache  # once per process
def _remove_unused(base: Path) -> None:
    oldest = time.time() - _KEPT_SECONDS
    for folder in base.iterdir():
        with suppress(OSError):  # another process may have removed it
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


class _Locator(UserProvidedCacheLocator):  # type: ignore[misc]
    """The location of the compiled code of a function, for Numba."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._function, self._folder = function, folder

    @classmethod
    @override
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Self | None:
        folder = cache_folder(sources_digest([py_func]))
        return None if folder is None else cls(py_func, folder)

    @override
    def get_cache_path(self) -> str:
        return str(self._folder)

    @override
    def get_source_stamp(self) -> str:
        return self._folder.name

    @override
    def get_disambiguator(self) -> str:
        function = self._function
        return _code_digest(f"{function.__module__} {function.__qualname__}", function.__code__, function.__doc__)


class _CacheFiles(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class _IndexFile(IndexDataCacheFile):  # type: ignore[misc]
    """The files with the compiled code of a function. The index maps argument types to files."""

    @override
    def _load_index(self) -> dict[Any, str]:
        try:
            index: dict[Any, str] = super()._load_index()
        except (AttributeError, ImportError):  # an argument type has a class that no longer exists
            return {}
        return index


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The cached code of one function, in the form that Numba's dispatchers use."""

    _impl_class = _CacheFiles

    def __init__(self, function: Callable[..., Any]) -> None:
        """Open the cache of a function.

        Raises:
            RuntimeError: The cache folder cannot be written.
        """
        super().__init__(function)
        locator = self._impl.locator
        self._cache_file = _IndexFile(self._cache_path, self._impl.filename_base, locator.get_source_stamp())


def _code_digest(name: str, code: CodeType, docstring: str | None) -> str:
    """Return a digest of a function's bytecode, without its docstring and line numbers (hexadecimal)."""
    constants = [
        _code_digest("", constant, None) if isinstance(constant, CodeType) else repr(constant)
        for constant in code.co_consts
        if docstring is None or constant != docstring
    ]
    parts = name, code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]
