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


def between(name: str, value: Any, low: float, high: float = np.inf, *, per_gene: bool = False) -> None:
    """Check that ``value`` is a finite number from ``low`` to ``high``.

    Args:
        name: the name of the parameter for the message.
        value: the value.
        low: the smallest allowed number.
        high: the largest allowed number.
        per_gene: whether an array (genes,) of such numbers is allowed too.

    Raises:
        ValueError: a number is out of range, or the value has another shape or dtype.
    """
    numbers = np.asarray(value)
    fits = numbers.dtype.kind in "iuf" and numbers.ndim <= per_gene and bool(np.isfinite(numbers).all())
    if not fits or not ((numbers >= low) & (numbers <= high)).all():
        allowed = f"a finite number, {low:g} or more" if high == np.inf else f"a number from {low:g} to {high:g}"
        raise ValueError(f"{name} must be {allowed}{', or one per gene' if per_gene else ''}, not {value!r}")


def ordered(low: Any, high: Any, *, finite: bool = False, whole: bool = False) -> None:
    """Check bounds: one number for all genes, or an array (genes,).

    Args:
        low: the lower bounds.
        high: the upper bounds.
        finite: whether they and their difference must be finite, so that numbers can be drawn between them.
        whole: whether they must be whole numbers.

    Raises:
        ValueError: a lower bound is above its upper bound, or a bound has another shape, dtype or value.
    """
    bounds = np.asarray(low), np.asarray(high)
    if any(bound.dtype.kind not in "iuf" or bound.ndim > 1 for bound in bounds):
        raise ValueError(f"low and high must be numbers, or one number per gene, not low={low!r}, high={high!r}")
    if bounds[0].shape != bounds[1].shape and bounds[0].ndim == bounds[1].ndim:
        raise ValueError(f"low and high must have one number for each gene, not low={low!r}, high={high!r}")
    if not (bounds[0] <= bounds[1]).all():
        raise ValueError(f"low must not be above high, as in low={low!r}, high={high!r}")
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = np.isfinite(bounds[1].astype(np.float64) - bounds[0].astype(np.float64)).all()
    if finite and not is_finite:
        raise ValueError(f"low and high must be finite, with a finite difference, not low={low!r}, high={high!r}")
    if whole and not all((bound % 1 == 0).all() for bound in bounds):
        raise ValueError(f"the bounds of whole numbers must be whole numbers, not low={low!r}, high={high!r}")


def fits_genes(operator: object, genes: int) -> None:
    """Check that each parameter of an operator is one number, or has one number for each of ``genes`` genes.

    Raises:
        ValueError: a parameter has another number of values.
    """
    for name, value in vars(operator).items():
        if np.ndim(value) and len(np.asarray(value)) != genes:
            raise ValueError(f"{name} has {len(np.asarray(value))} values, but the genomes have {genes} genes")


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
