"""The few array operations that definitions need, taken from the array's own namespace."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeAlias

Array: TypeAlias = Any
"""An array of any backend: NumPy's operators (`+ - * / @ .T .sum`, indexing) and `__array_namespace__`."""


def namespace(*arrays: Array) -> Any:
    """The namespace of the first argument that is an array of some backend.

    Raises:
        TypeError: if none of the arguments is such an array.
    """
    for array in arrays:
        if hasattr(array, "__array_namespace__"):
            return array.__array_namespace__()
    kinds = ", ".join(type(a).__name__ for a in arrays)
    raise TypeError(
        f"namespace() expects at least one array with __array_namespace__, got {kinds}; "
        "pass arrays made by NumPy (2.0 or newer), JAX or scanproof."
    )


def times(factor: int | Fraction, array: Array) -> Array:
    """factor · array with a rational factor, which only exact backends know as a number of its own."""
    return array * factor.numerator / factor.denominator


def outer(u: Array, v: Array) -> Array:
    """u ⊗ v: `u` of shape (m,), `v` of shape (n,) -> (m, n), entry (a, b) is u_a v_b."""
    return u[:, None] * v[None, :]


def unit(xp: Any, size: int, index: int) -> Array:
    """The unit vector e_{index+1} of shape (size,)."""
    return xp.eye(size)[index]
