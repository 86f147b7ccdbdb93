"""Python functions that compiled code can call."""

import ctypes
import warnings
from collections.abc import Callable
from typing import Any

import numba.experimental.function_type  # noqa: F401  # so that Numba knows the type of a Callback before it compiles
from numba import types
from numba.core.errors import NumbaExperimentalFeatureWarning

warnings.filterwarnings("ignore", "First-class function type", NumbaExperimentalFeatureWarning)  # Callback is one


class Callback(types.WrapperAddressProtocol):  # type: ignore[misc]
    """A Python function from two 64-bit words to a number that kernels can call; a call takes some microseconds.

    What it raises cannot pass through compiled code. It is kept, and the kernel gets -1.

    Attributes:
        error: what the function raised last, None if it raised nothing.
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
        """As Numba asks for it."""
        return types.int64(types.uint64, types.uint64)
