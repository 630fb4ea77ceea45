"""What is known of a program's inputs before it runs: the numbers, or only how large they can be."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError

from .arithmetic import format_of
from .enclosed import Enclosed, Value, point


class Magnitude(NamedTuple):
    """An array of which only the largest absolute value is known."""

    shape: tuple[int, ...]
    largest: float
    rounded: bool = True
    """Whether its numbers are rounded to the program's dtype; False says that they are in it already."""


def shape_of(array: Any) -> tuple[int, ...]:
    """The shape of an array, of nested lists, or of a `Magnitude`."""
    return tuple(array.shape if isinstance(array, Magnitude) else np.shape(array))


def given(array: Any, dtype: Any, *, signed: bool = False) -> Value:
    """An input as it enters the program: rounded to `dtype`, which is part of the bound.

    Args:
        array: numbers of any dtype, or a `Magnitude`.
        dtype: that of the program's input.
        signed: whether to keep the numbers themselves. Magnitudes are cheaper, and enough wherever nothing but sums
            and products are made of them.

    Raises:
        UsageError: if a number is NaN or infinite, or a magnitude negative.
    """
    dtype = np.dtype(dtype)
    if isinstance(array, Enclosed):
        return array
    if isinstance(array, Magnitude):
        if not 0 <= array.largest < float("inf"):
            raise UsageError(f"Magnitude(largest={array.largest}) expects a finite number ≥ 0.")
        size = np.full((1,) * len(array.shape), float(array.largest))
        own = format_of(dtype)
        wrong = (own.unit * size if array.rounded else 0 * size) + own.tiny  # it may be subnormal
        return Enclosed(tuple(array.shape), dtype, size, None, wrong)
    array = np.asarray(array)
    if array.dtype == bool or (np.issubdtype(array.dtype, np.integer) and dtype.kind in "iub"):
        return point(array, dtype)
    exact = array.astype(np.float64)
    if not np.isfinite(exact).all():
        raise UsageError("a bound expects finite numbers, got NaN or infinity among the inputs.")
    with np.errstate(over="ignore", under="ignore"):
        ways = [exact.astype(dtype)]
        if dtype != np.float64:  # a framework may go through float32
            ways.append(exact.astype(np.float32).astype(dtype))
    wrong = np.maximum.reduce([np.abs(exact - way.astype(np.float64)) for way in ways])
    wrong = np.maximum(wrong, np.where(np.abs(exact) < format_of(dtype).tiny, np.abs(exact), 0.0))
    lost = wrong if wrong.any() else None
    if signed:
        return Enclosed(array.shape, dtype, exact, exact, lost)
    return Enclosed(array.shape, dtype, np.abs(exact), None, lost)
