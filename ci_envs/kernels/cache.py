"""The cache of compiled code on disk.

Numba's own disk cache tracks only the file of the outermost function. So it would reuse a stale search after an edit of
a game's rules, and discard valid code after an edit of a comment. In this cache, the code of a kernel is in a folder
that is named by a digest of all sources that the kernel can depend on (:mod:`ci_envs.kernels.sources`). The files in
the folder are named by the function, its bytecode, its signature, and the values of global names that it uses
(:mod:`ci_envs.kernels.constants`), independent of its line in the source file.
"""

import glob
import hashlib
import os
import pickle
import shutil
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any, Self

import llvmlite
import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from numba.core.serialize import dumps
from typing_extensions import override

from ci_envs.kernels.constants import constants_digest
from ci_envs.kernels.sources import cache_root, sources_digest
from ci_envs.storage.checked_file import read_checked, write_checked

_KEPT_SECONDS = 7 * 24 * 3600


@lru_cache
def cache_folder(digest: str) -> Path | None:
    """Return the folder for kernels whose sources have this digest, or None if it cannot be made.

    The folder is below :func:`~ci_envs.kernels.sources.cache_root`.
    """
    try:
        folder = cache_root() / "kernels" / "-".join((numba.__version__, llvmlite.__version__, digest))
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _warn_of_folder(error)
        return None
    with suppress(OSError):  # a folder of another user
        os.utime(folder)
        _remove_unused(folder.parent)
    return folder


@lru_cache  # once per process
def _remove_unused(base: Path) -> None:
    oldest = time.time() - _KEPT_SECONDS
    for folder in base.iterdir():
        with suppress(OSError):  # another process may have removed it
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


_warned = False


def _warn_of_folder(error: OSError) -> None:
    _warn(f"compiled code cannot be stored: {error}. NUMBA_CACHE_DIR=DIR uses DIR")


def _warn(reason: str) -> None:
    """Warn once per process that compiled code is not cached."""
    global _warned  # noqa: PLW0603
    if not _warned:
        _warned = True
        warnings.warn(f"each run compiles again, because {reason}", RuntimeWarning, stacklevel=3)


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
    def ensure_cache_path(self) -> None:
        """Leave the check of the folder to the writing of the file."""

    @override
    def get_source_stamp(self) -> str:
        return self._folder.name

    @override
    def get_disambiguator(self) -> str:
        function = self._function
        return _code_digest(f"{function.__module__} {function.__qualname__}", function.__code__, function.__doc__)


class _CacheFiles(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)

    @override
    def check_cachable(self, cres: Any) -> bool:
        """Return whether the code has no address of this process. Otherwise warn once per process."""
        if cres.library.has_dynamic_globals:
            _warn("compiled code uses a C function, or a global array that exceeds 1 MB or is not contiguous")
            return False
        if cres.library.has_calls_by_address:
            _warn("compiled functions call each other")
            return False
        return True


class _SignatureFiles:
    """The files with the compiled code of a function, one file for each signature.

    Numba has an index of all signatures of a function. Processes that compile the function at the same time can lose
    entries of the index, or give the same file to two signatures. A process that cannot import the class of one
    argument, such as a game of another program, cannot read the index at all. Then it replaces the index.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name

    def save(self, key: Any, data: Any) -> None:
        """Write the compiled code of a signature.

        Raises:
            OSError: The file cannot be written.
        """
        file = self._file_of(key)
        if file.is_dir():
            shutil.rmtree(file)
        elif not (file.is_file() and os.access(file, os.W_OK)):
            file.unlink(missing_ok=True)
        write_checked(file, dumps((key, data)))

    def load(self, key: Any) -> Any:
        """Return the compiled code of a signature, or None if its file is for another one.

        Raises:
            OSError: There is no file, or it cannot be read.
            Exception: The file is damaged, or has a class that no longer exists.
        """
        known, data = pickle.loads(read_checked(self._file_of(key)))
        return data if known == key else None

    def flush(self) -> None:
        """Remove all files of the function."""
        for file in self._folder.glob(f"{glob.escape(self._name)}.*.nbc"):
            file.unlink(missing_ok=True)

    def _file_of(self, key: Any) -> Path:
        return self._folder / f"{self._name}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The cached code of one function, in the form that Numba's dispatchers use."""

    _impl_class = _CacheFiles

    for_python = True
    """Whether the code must have a wrapper for calls from Python."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Open the cache of a function.

        Raises:
            RuntimeError: The cache folder cannot be written.
        """
        super().__init__(function)
        self._cache_file = _SignatureFiles(Path(self._cache_path), self._impl.filename_base)

    @override
    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(sig, codegen), constants_digest([self._py_func]))

    @override
    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            known = super().load_overload(sig, target_context)
        except Exception:  # whatever is wrong with a file, the function is compiled again
            return None
        return None if known is not None and self.for_python and not has_wrapper(known) else known

    @override
    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_of_folder(error)


def has_wrapper(compiled: Any) -> bool:
    """Return whether a compiled function, as Numba's dispatchers keep it, can be called from Python."""
    return bool(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cpython_wrapper_name))


def _code_digest(name: str, code: CodeType, docstring: str | None) -> str:
    """Return a digest of a function's bytecode, without its docstring and line numbers (hexadecimal)."""
    constants = [
        _code_digest("", constant, None) if isinstance(constant, CodeType) else repr(constant)
        for constant in code.co_consts
        if docstring is None or constant != docstring
    ]
    parts = name, code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]
