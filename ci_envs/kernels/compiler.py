"""Compilation of functions to machine code that is cached on disk."""

import gc
import hashlib
import os
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar, cast

import numba
from numba import njit, types
from numba.core import sigutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.np import linalg
from typing_extensions import override

from ci_envs.kernels.cache import KernelCache, cache_folder, has_wrapper
from ci_envs.kernels.pipeline import KernelCompiler, WithoutWrapper
from ci_envs.kernels.sources import sources_digest

F = TypeVar("F", bound=Callable[..., Any])


def _import_array_functions() -> None:
    """Import Numba's array functions without SciPy's linear algebra.

    Numba imports them before the first kernel runs. They import SciPy's linear algebra to see whether it is installed,
    which would take a quarter of the time from the start of a program to its first action. A kernel that uses it
    imports it when it is compiled or called.
    """
    check = linalg.ensure_blas
    linalg.ensure_blas = lambda: None  # SciPy is a requirement of this package
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = check


_import_array_functions()
if hasattr(os, "register_at_fork"):  # a child that is forked during a compilation would wait for its end for ever
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )


def kernel(function: F) -> F:
    """Compile ``function`` on first use, without the GIL, and cache the result on disk.

    The cache is below ``NUMBA_CACHE_DIR`` if this is set, otherwise in the user's cache directory. Damaged files of the
    cache are replaced. If the cache cannot be written, each process warns and compiles for itself.
    """
    return _compiled(function, counts=True)


def lean_kernel(function: F) -> F:
    """Compile ``function`` as :func:`kernel` does, without reference counting. The function must not make arrays.

    Counting the references to the arguments can take longer than the work of a short function.
    """
    return _compiled(function, counts=False)


def inline_kernel(function: F) -> F:
    """Compile ``function`` as :func:`lean_kernel` does, and inline it into its callers. For innermost loops.

    Constants of the caller, such as the number of actions, are then constants in the function, and its loops are
    unrolled.
    """
    return _compiled(function, counts=False, forceinline=True)


class _Kernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function.

    Numba adds a wrapper for calls from Python to each function, which takes a tenth of the time of compilation. Here a
    function that only compiled functions call has none. The first call from Python compiles it again, with the wrapper.
    """

    always_for_python = False
    """Whether the function has the wrapper from its first compilation on (:func:`called_from_python`)."""

    _for_python = True  # whether the next compilation is for a call from Python

    @override
    def get_call_template(self, args: Any, kws: Any) -> Any:
        with global_compiler_lock:
            self._for_python = self.always_for_python
            try:
                return super().get_call_template(args, kws)
            finally:
                self._for_python = True

    @override
    def compile(self, sig: Any) -> Any:
        with global_compiler_lock, _collector_paused():
            for_python, self._for_python = self._for_python, True
            arguments = tuple(sigutils.normalize_signature(sig)[0])
            known = self.overloads.get(arguments)
            if for_python and known is not None and not has_wrapper(known):
                del self.overloads[arguments]
            self._cache.for_python = for_python
            self._compiler.pipeline_class = KernelCompiler if for_python else WithoutWrapper
            return super().compile(sig)

    @override
    def add_overload(self, cres: Any) -> None:
        if has_wrapper(cres):
            super().add_overload(cres)
        else:
            self.overloads[tuple(cres.signature.args)] = cres


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the collector of cycles, because compilation makes many objects and little garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _SharedKernel(_Kernel):
    """A compiled function that all callers share, whether they pass constants or variables.

    Numba itself compiles a function again for each constant integer argument.
    """

    @override
    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(
            tuple(types.unliteral(arg) for arg in args), {name: types.unliteral(arg) for name, arg in kws.items()}
        )


def _compiled(function: F, counts: bool, **options: bool) -> F:
    # kernels are never called as C functions, so the wrapper for this, which takes time to compile, is omitted
    options |= {"nopython": True, "nogil": True, "_nrt": counts, "no_cfunc_wrapper": True}
    cls = _Kernel if "forceinline" in options else _SharedKernel
    dispatcher = cls(function, targetoptions={"boundscheck": None, "error_model": "numpy", **options})
    if cache_folder(sources_digest([function])) is not None:
        dispatcher._cache = KernelCache(function)  # as enable_caching does, which accepts only Numba's own class
    return cast(F, dispatcher)


def called_from_python(function: F) -> F:
    """Declare that Python code calls a kernel too, so that it is not compiled again for the first such call."""
    cast(Any, function).always_for_python = True
    return function


def inlined(function: F) -> F:
    """Compile ``function`` into each kernel that calls it.

    This is necessary if two kernels would call each other, because Numba cannot cache mutual recursion. It saves a
    second of compilation for a short kernel that is compiled for each game.
    """
    return cast(F, njit(inline="always", error_model="numpy")(function))


def specialised(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Return the machine code of a kernel for arguments of these types, which is called without Numba's dispatch.

    A call takes 0.1 us instead of 0.7 us. It does not check its arguments: numbers are converted, and for an array only
    the size of an item is checked.
    """
    entry: Callable[..., Any] = cast(Any, function).compile(tuple(numba.typeof(argument) for argument in arguments))
    return entry


class Monomorphic:
    """A kernel that is always called with arguments of the types of its first call (:func:`specialised`).

    Numba's dispatch finds the types of most arguments quickly. For a tuple that contains a game or another
    :class:`~ci_envs.kernels.dispatch.Static`, it runs Python code in each call, which takes up to 60 us.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        """Wrap a kernel, which must be a global name of its module."""
        self._function = function
        self._entry: Callable[..., Any] | None = None

    def compile(self, *arguments: Any) -> Callable[..., Any]:
        """Return the machine code for arguments of these types, or of those of an earlier call."""
        if self._entry is None:
            self._entry = specialised(self._function, *arguments)
        return self._entry

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel."""
        return (self._entry or self.compile(*arguments))(*arguments)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:  # machine code cannot be copied or pickled
        return _monomorphic, (f"{self._function.__module__}:{self._function.__qualname__}",)


def _monomorphic(name: str) -> Monomorphic:
    return Monomorphic(pkgutil.resolve_name(name))


def _lasting_name(record: Any) -> tuple[str, tuple[str]]:
    return "Record", (hashlib.sha256(record.name.encode()).hexdigest(),)


# Numba names the kernels of a record by a number that is unique only in a process. Linked from the disk cache, kernels
# of different records could be confused (numba/numba#7654).
types.Record.mangling_args = property(_lasting_name)
