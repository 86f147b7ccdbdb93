"""Sets of elements as bitmasks: element k is bit ``k % 64`` of word ``k // 64`` of a uint64 array."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ci_envs.games import kernel
from ci_envs.kernels.bits import popcount, trailing_zeros


def full_bitmask(size: int) -> NDArray[np.uint64]:
    """Return the set of all elements from 0 to ``size - 1``, uint64 (ceil(size / 64),)."""
    words = np.full(-(-size // 64), np.uint64(2**64 - 1))
    if size % 64:
        words[-1] = np.uint64(2 ** (size % 64) - 1)
    return words


@kernel
def intersection_size(a: Any, b: Any) -> Any:
    """Return the number of elements that two sets have in common."""
    common = np.int64(0)
    for i in range(len(a)):
        common += np.int64(popcount(a[i] & b[i]))
    return common


@kernel
def is_empty(elements: Any) -> Any:
    """Return whether a set is empty."""
    union = np.uint64(0)
    for word in elements:
        union |= word
    return union == np.uint64(0)


@kernel
def measure_selections(words: Any, costs: Any, genomes: Any, union: Any, covered: Any, totals: Any) -> None:
    """Write the number of covered elements and the cost of the sets that each genome selects.

    Args:
        words: the sets, uint64 (sets, words).
        costs: the cost of each set, float64 (sets,).
        genomes: bool (n, sets).
        union: scratch space, uint64 (words,).
        covered: receives the numbers of elements, int64 (n,), initially 0.
        totals: receives the costs, float64 (n,), initially 0.
    """
    for row in range(len(genomes)):
        for i in range(len(union)):
            union[i] = np.uint64(0)
        for index in range(len(words)):
            if genomes[row, index]:
                totals[row] += costs[index]
                for i in range(len(union)):
                    union[i] |= words[index, i]
        for word in union:
            covered[row] += np.int64(popcount(word))


@kernel
def lowest_bit(word: Any) -> Any:
    """Return the index of the lowest one in a word that is not 0."""
    return np.int64(trailing_zeros(word))
