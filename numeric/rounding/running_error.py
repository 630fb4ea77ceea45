"""Running error bounds: the definitions read on float64 arrays that know how wrong they may be.

`bounded(array)` is an exact input. Every operation computes NumPy's float64 result and an upper bound of its distance
from the exact result on the exact inputs, so `definition(bounded(x), …).error` is a tolerance that nobody has chosen.

The bound assumes that each addition, multiplication and division is off by at most `EPSILON` times its result, which
is twice what IEEE arithmetic promises and leaves room for a division done by a reciprocal; that `exp` and `log` are
off by at most `ULPS` times that; and that nothing over- or underflows. Sums and products of matrices may be added up
in any order, with or without fused multiplication, so the bound also covers other programs for the same definition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

EPSILON = float(np.finfo(np.float64).eps)
"""2⁻⁵², twice the unit roundoff of float64."""
ULPS = 4
"""Units in the last place by which `exp` and `log` may be off."""


class Bounded:
    """A float64 array `value` and, of the same shape, `error` ≥ |value − exact value|."""

    __slots__ = ("error", "value")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any, error: Any) -> None:
        self.value = np.asarray(value)
        self.error = np.asarray(error)

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return Namespace()

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def ndim(self) -> int:
        return self.value.ndim

    @property
    def T(self) -> Bounded:
        return Bounded(self.value.T, self.error.T)

    @property
    def mT(self) -> Bounded:
        return Bounded(self.value.mT, self.error.mT)

    def __getitem__(self, index: Any) -> Bounded:
        return Bounded(self.value[index], self.error[index])

    def __neg__(self) -> Bounded:
        return Bounded(-self.value, self.error)

    def __add__(self, other: Any) -> Any:
        if _foreign(other):
            return NotImplemented
        other = bounded(other)
        return _rounded(self.value + other.value, self.error + other.error)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return NotImplemented if _foreign(other) else self + (-bounded(other))

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if _foreign(other):
            return NotImplemented
        other = bounded(other)
        return _rounded(self.value * other.value, _product(np.multiply, self, other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if _foreign(other):
            return NotImplemented
        other = bounded(other)
        room = np.abs(other.value) - other.error  # how near to 0 the exact divisor may be
        quotient = self.value / other.value
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.where(room > 0, (self.error + np.abs(quotient) * other.error) / room, np.inf)
        return _rounded(quotient, error)

    def __rtruediv__(self, other: Any) -> Any:
        return bounded(other) / self

    def __pow__(self, exponent: int) -> Bounded:
        power = bounded(np.ones(self.shape))
        for _ in range(exponent):
            power = power * self
        return power

    def __matmul__(self, other: Any) -> Any:
        if _foreign(other):
            return NotImplemented
        other = bounded(other)
        terms = self.shape[-1]
        added = terms * EPSILON * (np.abs(self.value) @ np.abs(other.value))
        return Bounded(self.value @ other.value, _product(np.matmul, self, other) + added)

    def __rmatmul__(self, other: Any) -> Any:
        return bounded(other) @ self

    def sum(self, axis: int | None = None) -> Bounded:
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


def _foreign(other: Any) -> bool:
    """Whether `other` is an array of another kind that knows better what to do."""
    known = (Bounded, np.ndarray, np.generic)
    return hasattr(other, "__array_namespace__") and not isinstance(other, known)


def _rounded(value: np.ndarray, error: np.ndarray) -> Bounded:
    return Bounded(value, error + EPSILON * np.abs(value))


def _product(multiply: Callable[..., Any], left: Bounded, right: Bounded) -> Any:
    """What the errors of two factors make of a bilinear product: |a| eb + ea |b| + ea eb."""
    reach = np.abs(left.value) + left.error
    return multiply(reach, right.error) + multiply(left.error, np.abs(right.value))


class Namespace:
    """Constructors and named functions of bounded arrays (a part of the array API)."""

    def asarray(self, value: Any) -> Bounded:
        return bounded(value)

    def zeros(self, shape: Any) -> Bounded:
        return bounded(np.zeros(shape))

    def ones(self, shape: Any) -> Bounded:
        return bounded(np.ones(shape))

    def eye(self, size: int) -> Bounded:
        return bounded(np.eye(size))

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> Bounded:
        return _each(lambda parts: np.stack(parts, axis=axis), arrays)

    def concat(self, arrays: Sequence[Any], axis: int = 0) -> Bounded:
        return _each(lambda parts: np.concat(parts, axis=axis), arrays)

    def reshape(self, array: Bounded, shape: Any) -> Bounded:
        return Bounded(array.value.reshape(shape), array.error.reshape(shape))

    def tril(self, array: Bounded) -> Bounded:
        return Bounded(np.tril(array.value), np.tril(array.error))

    def exp(self, array: Bounded) -> Bounded:
        value = np.exp(array.value)
        return Bounded(value, value * (np.expm1(array.error) + ULPS * EPSILON))

    def log(self, array: Bounded) -> Bounded:
        value = np.log(array.value)
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = np.where(
                array.error < array.value, -np.log1p(-array.error / array.value), np.inf
            )
        return Bounded(value, moved + ULPS * EPSILON * np.abs(value))

    def sqrt(self, array: Bounded) -> Bounded:
        value = np.sqrt(array.value)
        least = np.sqrt(np.maximum(array.value - array.error, 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = np.where(
                array.error < array.value,
                array.error / (value + least),
                np.sqrt(array.value + array.error),
            )
        return _rounded(value, moved)


def _each(join: Callable[[list[np.ndarray]], np.ndarray], arrays: Sequence[Any]) -> Bounded:
    parts = [bounded(a) for a in arrays]
    return Bounded(join([p.value for p in parts]), join([p.error for p in parts]))
