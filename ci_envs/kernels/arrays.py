"""Arrays in compiled code."""

from typing import Any

from ci_envs.kernels.compiler import lean_kernel


@lean_kernel
def copy_items(source: Any, target: Any, count: Any) -> None:
    """Copy the first ``count`` items of a one-dimensional array into another.

    A slice assignment does the same, but Numba then compiles the text of an error message, which takes a second.
    """
    for i in range(count):
        target[i] = source[i]
