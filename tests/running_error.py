"""Running error bounds: the definitions read on float64 arrays that know how wrong they may be.

`bounded(array)` is an exact input. Every operation computes NumPy's float64 result and an upper bound of its distance
from the exact result on the exact inputs, so `definition(bounded(x), …).error` is a tolerance that nobody has chosen.

The bound assumes that each addition, multiplication and division is off by at most `EPSILON` times its result, which
is twice what IEEE arithmetic promises and leaves room for a division done by a reciprocal; that `exp` and `log` are
off by at most `ULPS` times that; and that nothing over- or underflows. Sums and products of matrices may be added up
in any order, with or without fused multiplication, so the bound also covers other programs for the same definition.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scanproof.constructs.arrays.operators import Namespace as Functions
from scanproof.constructs.arrays.operators import Operators

EPSILON = float(np.finfo(np.float64).eps)
"""2⁻⁵², twice the unit roundoff of float64."""
ULPS = 4
"""Units in the last place by which `exp` and `log` may be off."""


class Bounded(Operators):
    """A float64 array `value` and, of the same shape, `error` ≥ |value − exact value|."""

    __slots__ = ("error", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any, error: Any) -> None:
        self.value = np.asarray(value)
        self.error = np.asarray(error)

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return Namespace()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.value.shape

    def _moved(self, move: Callable[[np.ndarray], np.ndarray]) -> Bounded:
        return Bounded(move(self.value), move(self.error))

    def __neg__(self) -> Bounded:
        return Bounded(-self.value, self.error)

    def _combined(
        self, operation: Callable[[Any, Any], Any], left: Bounded, right: Bounded
    ) -> Bounded:
        value = operation(left.value, right.value)
        if operation is operator.matmul:
            terms = left.shape[-1]
            added = terms * EPSILON * (np.abs(left.value) @ np.abs(right.value))
            return Bounded(value, _product(operation, left, right) + added)
        if operation is operator.mul:
            return _rounded(value, _product(operation, left, right))
        if operation is not operator.truediv:
            return _rounded(value, left.error + right.error)
        room = np.abs(right.value) - right.error  # how near to 0 the exact divisor may be
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.where(room > 0, (left.error + np.abs(value) * right.error) / room, np.inf)
        return _rounded(value, error)

    def sum(self, axis: int | None = None) -> Bounded:
        """The sum along an axis, with a bound of its own rounding and of its terms'."""
        terms = self.value.size if axis is None else self.shape[axis]
        added = terms * EPSILON * np.abs(self.value).sum(axis=axis)
        return Bounded(self.value.sum(axis=axis), self.error.sum(axis=axis) + added)

    def __repr__(self) -> str:
        return f"Bounded({self.value.tolist()} ± {self.error.tolist()})"


def bounded(array: Any) -> Bounded:
    """An array of numbers taken as exact."""
    if isinstance(array, Bounded):
        return array
    value = np.asarray(array, dtype=np.float64)
    return Bounded(value, np.zeros(value.shape))


def _rounded(value: np.ndarray, error: np.ndarray) -> Bounded:
    return Bounded(value, error + EPSILON * np.abs(value))


def _product(multiply: Callable[..., Any], left: Bounded, right: Bounded) -> Any:
    """What the errors of two factors make of a bilinear product: |a| eb + ea |b| + ea eb."""
    reach = np.abs(left.value) + left.error
    return multiply(reach, right.error) + multiply(left.error, np.abs(right.value))


class Namespace(Functions):
    """Constructors and named functions of bounded arrays (a part of the array API)."""

    arrays, library = "bounded arrays", np

    def asarray(self, value: Any) -> Bounded:
        """An array or number with a bound of its error; that of exact numbers is 0."""
        return bounded(value)

    def _joined(
        self, join: Callable[[list[np.ndarray]], np.ndarray], arrays: Sequence[Any]
    ) -> Bounded:
        parts = [bounded(a) for a in arrays]
        return Bounded(join([p.value for p in parts]), join([p.error for p in parts]))

    def exp(self, array: Bounded) -> Bounded:
        """e to the power of each entry, with a bound of its error."""
        value = np.exp(array.value)
        return Bounded(value, value * (np.expm1(array.error) + ULPS * EPSILON))

    def log(self, array: Bounded) -> Bounded:
        """The logarithm of each entry; its bound is infinite where 0 is within the error."""
        value = np.log(array.value)
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = np.where(
                array.error < array.value, -np.log1p(-array.error / array.value), np.inf
            )
        return Bounded(value, moved + ULPS * EPSILON * np.abs(value))

    def sqrt(self, array: Bounded) -> Bounded:
        """The square root of each entry, with a bound of its error."""
        value = np.sqrt(array.value)
        least = np.sqrt(np.maximum(array.value - array.error, 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = np.where(
                array.error < array.value,
                array.error / (value + least),
                np.sqrt(array.value + array.error),
            )
        return _rounded(value, moved)
