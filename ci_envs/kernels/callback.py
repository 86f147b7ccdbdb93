"""Python functions that compiled code can call."""

import ctypes
import warnings
from collections.abc import Callable
from typing import Any

import numba.experimental.function_type  # noqa: F401  # so that Numba knows the type of a Callback before it compiles
from numba import types
from numba.core.errors import NumbaExperimentalFeatureWarning

warnings.filterwarnings("ignore", "First-class function type", NumbaExperimentalFeatureWarning)  # a Callback is one


class Callback(types.WrapperAddressProtocol):  # type: ignore[misc]
    """A Python function from two 64-bit words to a number that kernels can call. A call takes a few microseconds.

    An exception cannot pass through compiled code. It is stored, and the kernel gets -1.

    Attributes:
        error: the last exception of the function, or None.
    """

    def __init__(self, function: Callable[[int, int], int]) -> None:
        self.error: BaseException | None = None

        def guarded(own: int, opp: int) -> int:
            try:
                return function(own, opp)
            except BaseException as error:
                self.error = error
                return -1

        self._function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_uint64, ctypes.c_uint64)(guarded)

    def __wrapper_address__(self) -> int:
        return ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def signature(self) -> Any:
        """Return the Numba signature of the function."""
        return types.int64(types.uint64, types.uint64)
