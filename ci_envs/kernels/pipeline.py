"""Numba's compiler with three changes that save a third of its time."""

from typing import Any

from numba.core.compiler import Compiler
from numba.core.targetconfig import ConfigStack
from typing_extensions import override

from ci_envs.kernels.library import InnerLibrary, KernelLibrary

_CALLER_OPTIONS = {
    "forceinline": False,
    "no_cfunc_wrapper": True,
    "no_cpython_wrapper": True,
    "nrt": True,
    "release_gil": True,
}


class KernelCompiler(Compiler):  # type: ignore[misc]
    """The compiler of kernels and operations.

    Numba compiles an operation, or one of its own functions, again for callers with other options. This compiler shows
    them the same options of all callers, so that each is compiled once. Functions that only compiled code calls are
    optimised in their callers (:mod:`ci_envs.kernels.library`).
    """

    @override
    def define_pipelines(self) -> Any:
        shown = ConfigStack.top_or_none()  # a copy of the options with which the function itself is compiled
        for name, value in _CALLER_OPTIONS.items():
            setattr(shown, name, value)
        library = InnerLibrary if self.state.flags.no_cpython_wrapper else KernelLibrary
        self.state.library = library(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        self.state.library.enable_object_caching()  # as Numba does for a library of its own
        return super().define_pipelines()


class WithoutWrapper(KernelCompiler):
    """The compiler of functions that only compiled functions call: without the wrapper for calls from Python."""

    @override
    def define_pipelines(self) -> Any:
        self.state.flags.no_cpython_wrapper = True
        return super().define_pipelines()
