"""The array types of the operators, and checks of their parameters."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Genomes = NDArray[Any]
"""Genomes as rows, (n, genes), of bool, integers or floats."""

Values = NDArray[np.float64]
"""The fitness of genomes, float64 (n,)."""

Indices = NDArray[np.intp]
"""Indices of rows, intp (count,)."""

PerGene = float | NDArray[Any]
"""One number for all genes, or an array (genes,) with one number per gene."""


def between(name: str, value: Any, low: float, high: float = np.inf) -> None:
    """Check that ``value`` is one number or an array (genes,) of numbers, all from ``low`` to ``high``.

    Raises:
        ValueError: a number is out of range, or the value has another shape or dtype.
    """
    numbers = np.asarray(value)
    fits = numbers.dtype.kind in "iuf" and numbers.ndim <= 1 and bool(((numbers >= low) & (numbers <= high)).all())
    if not fits:
        allowed = f"{low:g} or more" if high == np.inf else f"from {low:g} to {high:g}"
        raise ValueError(f"{name} must be {allowed}, one number or one per gene, not {value!r}")


def ordered(low: Any, high: Any) -> None:
    """Check that no lower bound is above its upper bound.

    Raises:
        ValueError: a lower bound is above its upper bound, or a bound is NaN.
    """
    if not np.all(np.asarray(low) <= np.asarray(high)):
        raise ValueError(f"low must not be above high, as in low={low!r}, high={high!r}")


def need_kind(operator: object, genomes: NDArray[Any], kinds: str, description: str) -> None:
    """Check that the dtype of the genomes fits an operator.

    Args:
        operator: the operator, named in the message.
        genomes: (n, genes).
        kinds: the allowed kinds of the dtype, for example ``"iuf"``.
        description: the allowed genes in words, for example ``numbers``.

    Raises:
        ValueError: the kind of the dtype is not allowed.
    """
    if genomes.dtype.kind not in kinds:
        raise ValueError(f"{type(operator).__name__} is for genomes of {description}, not of {genomes.dtype}")
