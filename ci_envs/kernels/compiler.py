"""Compiling functions to machine code that is kept on disk."""

import hashlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba import njit, types
from numba.core.registry import CPUDispatcher
from typing_extensions import override

from ci_envs.kernels.cache import KernelCache, cache_folder
from ci_envs.kernels.sources import sources_digest

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile ``function`` on first use, without the GIL, and keep the result on disk.

    The cache is below ``NUMBA_CACHE_DIR`` if that is set, else in the user's cache directory; where neither can be
    written, every process compiles for itself.
    """
    return _compiled(function, counts=True)


def lean_kernel(function: F) -> F:
    """As :func:`kernel`, for a function that makes no array.

    It does not count references to the arrays it is given, which can take longer than what it does with them.
    """
    return _compiled(function, counts=False)


def inline_kernel(function: F) -> F:
    """As :func:`lean_kernel`, for a short function of an innermost loop: its code is put into what calls it.

    What is constant there, such as the number of actions, is then constant in it too, and its loops are unrolled.
    """
    return _compiled(function, counts=False, forceinline=True)


class _SharedKernel(CPUDispatcher):  # type: ignore[misc]
    """A compiled function that other kernels share, whether they call it with constants or with variables.

    Numba itself compiles a function again for each constant integer among its arguments.
    """

    @override
    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(
            tuple(types.unliteral(arg) for arg in args), {name: types.unliteral(arg) for name, arg in kws.items()}
        )


def _compiled(function: F, counts: bool, **options: bool) -> F:
    # nothing calls a kernel as a C function, so none gets the wrapper for it, which takes time to compile
    options |= {"nopython": True, "nogil": True, "_nrt": counts, "no_cfunc_wrapper": True}
    cls = CPUDispatcher if "forceinline" in options else _SharedKernel
    dispatcher = cls(function, targetoptions={"boundscheck": None, "error_model": "numpy", **options})
    if cache_folder(sources_digest([function])) is not None:
        dispatcher._cache = KernelCache(function)  # as enable_caching does, which knows no class but Numba's own
    return cast(F, dispatcher)


def inlined(function: F) -> F:
    """Compile ``function`` into each kernel that calls it.

    Needed where two kernels would call each other: Numba cannot cache mutual recursion. It saves a second where a short
    kernel stands between two that are compiled for every game.
    """
    return cast(F, njit(inline="always", error_model="numpy")(function))


def specialised(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The machine code of a kernel for arguments like these, without Numba's dispatch (0.1 us a call instead of 0.7).

    It trusts its caller: numbers are converted, and of an array only the size of an item is checked.
    """
    entry: Callable[..., Any] = cast(Any, function).compile(tuple(numba.typeof(argument) for argument in arguments))
    return entry


def _lasting_name(record: Any) -> tuple[str, tuple[str]]:
    return "Record", (hashlib.sha256(record.name.encode()).hexdigest(),)


# Numba names the kernels of a record by a number that each process counts anew: linked from the disk cache, those of
# different records could pass for each other (numba/numba#7654)
types.Record.mangling_args = property(_lasting_name)
