"""What is told of a generation."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ci_envs.storage.files import write_csv

_MOST_ROWS = 1024  # whose distances fit in 8 MB


class Statistics(NamedTuple):
    """A generation in numbers.

    Attributes:
        generation: 0 is the first population.
        calls: genomes whose fitness was asked for so far.
        best: largest fitness in the population.
        mean: of the population's fitness.
        diversity: mean distance of two genomes (:func:`diversity`).
        step: factor to the mutation's steps.
    """

    generation: int
    calls: int
    best: float
    mean: float
    diversity: float
    step: float


def write_curve(path: Path, history: Sequence[Statistics], more: Mapping[str, Sequence[float]] | None = None) -> None:
    """Write a learning curve as CSV, a line a generation, with ``more`` columns by name."""
    columns = dict(zip(Statistics._fields, zip(*history, strict=True), strict=True)) | dict(more or {})
    write_csv(path, [list(columns), *zip(*columns.values(), strict=True)])


def diversity(genomes: NDArray[Any]) -> float:
    """Mean distance of two different rows: Euclid's of floats, else in how many genes they differ (Hamming's).

    It is exact, but for more than 1024 rows of floats, of which it takes 1024, evenly spaced; 0 for a single row.
    """
    n = len(genomes)
    if n < 2:
        return 0.0
    if genomes.dtype.kind == "b":
        ones = np.count_nonzero(genomes, axis=0)
        return float((ones * (n - ones)).sum() / (n * (n - 1) / 2))
    if genomes.dtype.kind != "f":
        return float((genomes.shape[1] * n**2 - _equal_pairs(genomes)) / (n * (n - 1)))
    if n > _MOST_ROWS:
        genomes, n = genomes[np.linspace(0, n - 1, _MOST_ROWS).astype(int)], _MOST_ROWS
    rows = (genomes - genomes.mean(axis=0)).astype(np.float64)  # small numbers lose less in the differences
    norms = (rows**2).sum(axis=1)
    squares = norms[:, np.newaxis] + norms - 2 * rows @ rows.T
    np.fill_diagonal(squares, 0)
    return float(np.sqrt(np.maximum(squares, 0)).sum() / (n * (n - 1)))


def _equal_pairs(genomes: NDArray[Any]) -> int:
    """How many ordered pairs of rows, a row with itself among them, have equal genes, summed over the genes."""
    columns = np.sort(genomes, axis=0).T
    starts = np.ones(columns.shape, dtype=np.bool_)
    starts[:, 1:] = columns[:, 1:] != columns[:, :-1]
    runs = np.diff(np.append(np.flatnonzero(starts), columns.size))
    return int((runs**2).sum())
