"""What operators work on, and checking their parameters, which may be one number or one a gene."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Genomes = NDArray[Any]
"""One genome a row, (n, genes), of bool, integers or floats."""

Values = NDArray[np.float64]
"""The fitness of genomes, (n,)."""

Indices = NDArray[np.intp]
"""Which rows, (count,)."""

PerGene = float | NDArray[Any]
"""One number for all genes, or an array (genes,) with one for each."""


def between(name: str, value: Any, low: float, high: float = np.inf) -> None:
    """Check that ``value`` is one number or an array (genes,) of numbers, all of them from ``low`` to ``high``.

    Raises:
        ValueError: it is not; the message has ``name``, the value and what is allowed.
    """
    numbers = np.asarray(value)
    fits = numbers.dtype.kind in "iuf" and numbers.ndim <= 1 and bool(((numbers >= low) & (numbers <= high)).all())
    if not fits:
        allowed = f"{low:g} or more" if high == np.inf else f"from {low:g} to {high:g}"
        raise ValueError(f"{name} must be {allowed}, one number or one a gene, not {value!r}")


def ordered(low: Any, high: Any) -> None:
    """Check that no lower bound is above its upper bound.

    Raises:
        ValueError: one is, or one is no number.
    """
    if not np.all(np.asarray(low) <= np.asarray(high)):
        raise ValueError(f"low must not be above high, as in low={low!r}, high={high!r}")


def need_kind(operator: object, genomes: NDArray[Any], kinds: str, what: str) -> None:
    """Check that an operator gets genomes it is made for: of a dtype whose kind is one of ``kinds``.

    Raises:
        ValueError: it does not.
    """
    if genomes.dtype.kind not in kinds:
        raise ValueError(f"{type(operator).__name__} is for genomes of {what}, not of {genomes.dtype}")
