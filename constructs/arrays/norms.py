"""Norms, for bounds: of vectors, of numbers, of matrices."""

from __future__ import annotations

from numbers import Number

from .array_api import Array, namespace


def norm(x: Array) -> Array:
    """The Euclidean norm along the last axis: (..., d) -> (...).

    Raises:
        TypeError: for a number, which has no axis, and for NumPy arrays of exact numbers.
    """
    _expect("norm", x, 1, "vectors along the last axis; a number has absolute(x)")
    xp = namespace(x)
    own = getattr(xp, "norm", None)
    return xp.linalg.norm(x, axis=-1) if own is None else own(x)


def operator_norm(matrix: Array) -> Array:
    """The largest singular value, which is the operator norm for Euclidean vectors: (..., m, n) -> (...).

    Raises:
        TypeError: for an array with fewer than two axes, and for NumPy arrays of exact numbers.
    """
    _expect("operator_norm", matrix, 2, "matrices; a vector has norm(x)")
    xp = namespace(matrix)
    own = getattr(xp, "operator_norm", None)
    return xp.linalg.norm(matrix, axis=(-2, -1), ord=2) if own is None else own(matrix)


def absolute(x: Array) -> Array:
    """|x| in every entry, of x's shape; x may be a plain number."""
    return abs(x) if isinstance(x, Number) else namespace(x).abs(x)  # type: ignore[arg-type]


def _expect(called: str, x: Array, least: int, takes: str) -> None:
    ndim = len(getattr(x, "shape", ()))
    if ndim < least:
        raise TypeError(f"{called}() takes {takes}; got {type(x).__name__} with {ndim} axes.")
    if getattr(getattr(x, "dtype", None), "hasobject", False):
        raise TypeError(
            f"{called}() takes no NumPy array of exact numbers; in a condition return at_most({called}(…), bound)."
        )
