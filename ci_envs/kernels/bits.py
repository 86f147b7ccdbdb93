"""Bits of 64-bit words in compiled code."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ci_envs.kernels.bit_selection import HAS_BMI2, deposit_bits
from ci_envs.kernels.compiler import kernel


@intrinsic  # type: ignore[untyped-decorator]
def _popcount(context: Any, word: Any) -> Any:
    return types.uint64(types.uint64), lambda c, builder, signature, args: builder.ctpop(args[0])


@intrinsic  # type: ignore[untyped-decorator]
def _trailing_zeros(context: Any, word: Any) -> Any:
    def generate(c: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], c.get_constant(types.boolean, False))

    return types.uint64(types.uint64), generate


popcount: Callable[[Any], Any] = _popcount
"""Return the number of set bits of a uint64, as one machine instruction."""

trailing_zeros: Callable[[Any], Any] = _trailing_zeros
"""Return the index of the lowest set bit of a uint64, or 64 if no bit is set."""


def _nth_one_pdep(word: Any, n: Any) -> Any:
    return trailing_zeros(deposit_bits(np.uint64(1) << n, word))


def _nth_one_loop(word: Any, n: Any) -> Any:
    for _ in range(n):
        word &= word - np.uint64(1)
    return trailing_zeros(word)


nth_one = kernel(_nth_one_pdep if HAS_BMI2 else _nth_one_loop)
"""Return the index of the set bit of ``word`` that has ``n`` set bits below it. The bit must exist."""


def bit_counts(words: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Return the number of set bits of each word, as ``np.bitwise_count``, which NumPy has from version 2.0 on.

    Args:
        words: uint64 of any shape.
    """
    counts = np.empty(words.shape, dtype=np.uint8)
    _write_bit_counts(words.reshape(-1), counts.reshape(-1))
    return counts


@kernel
def _write_bit_counts(words: Any, counts: Any) -> None:
    for i in range(len(words)):
        counts[i] = popcount(words[i])
