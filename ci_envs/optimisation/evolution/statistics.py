"""Statistics of a generation."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_MAX_ROWS = 1024  # the distances of this number of rows fit in 8 MB


class Statistics(NamedTuple):
    """Statistics of a generation.

    Attributes:
        generation: the number of the generation; 0 is the initial population.
        calls: the number of genomes evaluated so far.
        best: the largest fitness in the population.
        mean: the mean fitness of the population.
        diversity: the mean distance of two genomes (:func:`diversity`).
        step: the adaptive step size of the mutation.
    """

    generation: int
    calls: int
    best: float
    mean: float
    diversity: float
    step: float


def diversity(genomes: NDArray[Any]) -> float:
    """Return the mean distance of two different genomes: Euclidean for floats, Hamming otherwise.

    For more than 1024 genomes of floats it is the mean over 1024 evenly spaced ones. For one genome it is 0.

    Args:
        genomes: (n, genes).
    """
    n = len(genomes)
    if n < 2:
        return 0.0
    if genomes.dtype.kind == "b":
        ones = np.count_nonzero(genomes, axis=0)
        return float((ones * (n - ones)).sum() / (n * (n - 1) / 2))
    if genomes.dtype.kind != "f":
        return float((genomes.shape[1] * n**2 - _equal_pairs(genomes)) / (n * (n - 1)))
    if n > _MAX_ROWS:
        genomes, n = genomes[np.linspace(0, n - 1, _MAX_ROWS).astype(int)], _MAX_ROWS
    rows = (genomes - genomes.mean(axis=0)).astype(np.float64)  # small numbers lose less in the differences
    norms = (rows**2).sum(axis=1)
    squares = norms[:, np.newaxis] + norms - 2 * rows @ rows.T
    np.fill_diagonal(squares, 0)
    return float(np.sqrt(np.maximum(squares, 0)).sum() / (n * (n - 1)))


def _equal_pairs(genomes: NDArray[Any]) -> int:
    """Return the number of equal genes over all ordered pairs of rows, including a row with itself."""
    columns = np.sort(genomes, axis=0).T
    starts = np.ones(columns.shape, dtype=np.bool_)
    starts[:, 1:] = columns[:, 1:] != columns[:, :-1]
    runs = np.diff(np.append(np.flatnonzero(starts), columns.size))
    return int((runs**2).sum())
