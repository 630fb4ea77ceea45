"""The numbers that a reading carries: how large the exact one can be, and how far off the computed one.

An `Enclosed` stands for an array of the program; `Whole` for one of integers or truth values, which no rounding can
change and which is therefore known. Along an axis on which everything that is known is the same, the fields have
length 1: an array of 65536 × 128 entries of which only the largest is known is one number. That is what makes a bound
before the run as cheap as the decays are many.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .arithmetic import OWN, format_of

Shape: TypeAlias = tuple[int, ...]


class Whole(NamedTuple):
    """Integers or truth values."""

    shape: Shape
    dtype: Any
    value: Any
    """Of as many axes as `shape`, each of length 1 or full."""


class Enclosed(NamedTuple):
    """Floating-point numbers: exact values x in [lower, upper], computed ones within `error` of them."""

    shape: Shape
    dtype: Any
    upper: Any
    """Of as many axes as `shape`, each of length 1 or full, as the other fields."""
    lower: Any = None
    """None stands for −upper: only the magnitude is known."""
    error: Any = None
    """None stands for 0."""


Value: TypeAlias = Whole | Enclosed


@functools.cache
def register() -> None:
    """Let JAX take a value for a tree of its fields, shape and dtype being known."""
    from jax.tree_util import register_pytree_node

    for kind in (Whole, Enclosed):
        register_pytree_node(
            kind,
            lambda v: (v[2:], (tuple(v.shape), np.dtype(v.dtype))),
            lambda known, fields, kind=kind: kind(*known, *fields),
        )


def point(value: Any, dtype: Any = None) -> Value:
    """A known array: numbers of its dtype, exactly."""
    value = np.asarray(value)
    dtype = value.dtype if dtype is None else dtype
    if np.issubdtype(value.dtype, np.integer) or value.dtype == bool:
        return Whole(value.shape, dtype, value)
    value = value.astype(np.float64)
    return Enclosed(value.shape, dtype, value, value, flushed(value, dtype))


def flushed(value: np.ndarray, dtype: Any) -> Any:
    """The error of a number that is replaced by 0 where it is subnormal in `dtype`; None where none is."""
    lost = np.where(np.abs(value) < format_of(dtype).tiny, np.abs(value), 0.0)
    return lost if lost.any() else None


def low(x: Enclosed) -> Any:
    """The lower end of the exact numbers."""
    return -x.upper if x.lower is None else x.lower


def magnitude(xp: Any, x: Enclosed) -> Any:
    """An upper bound of |x|."""
    return x.upper if x.lower is None else xp.maximum(xp.abs(x.lower), xp.abs(x.upper))


def error(x: Enclosed) -> Any:
    """How far computed numbers may be from exact ones; 0 where no field says so."""
    return 0.0 if x.error is None else x.error


def widened(xp: Any, lower: Any, upper: Any, times: float = 1) -> tuple[Any, Any]:
    """Signed ends that float64 has computed, moved outward by `times` what it may have lost."""
    slack = 4 * times * OWN.unit * xp.maximum(xp.abs(lower), xp.abs(upper)) + 4 * times * OWN.tiny
    return lower - slack, upper + slack


def rounded(
    xp: Any, shape: Shape, dtype: Any, ends: tuple[Any, Any], carried: Any, units: Any = 1
) -> Enclosed:
    """A result, and what its own rounding adds to the error that its operands bring.

    Args:
        ends: (upper, lower) of the exact result; lower None if only the magnitude is known.
        carried: how far the operands' errors move the exact result.
        units: unit roundoffs of the operation.
    """
    upper, lower = ends
    size = upper if lower is None else xp.maximum(xp.abs(lower), xp.abs(upper))
    own = format_of(dtype)
    added = carried + units * own.unit * (size + carried) + xp.maximum(units, 1) * own.tiny
    return Enclosed(shape, dtype, upper, lower, overflowing(xp, dtype, size, added))


def overflowing(xp: Any, dtype: Any, size: Any, added: Any) -> Any:
    """`added`, infinite where the computed number may be too large for its format."""
    return xp.where(size + added < format_of(dtype).largest, added, xp.inf)


def hull(xp: Any, shape: Shape, dtype: Any, values: list[Enclosed]) -> Enclosed:
    """A value that may be any of several, of which the exact and the computed program may take different ones."""
    upper, lower = values[0].upper, low(values[0])
    worst = error(values[0])
    for value in values[1:]:
        upper, lower = xp.maximum(upper, value.upper), xp.minimum(lower, low(value))
        worst = xp.maximum(worst, error(value))
    return Enclosed(shape, dtype, upper, lower, worst + (upper - lower))
