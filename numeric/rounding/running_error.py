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
from numpy.lib.mixins import NDArrayOperatorsMixin

EPSILON = float(np.finfo(np.float64).eps)
"""2⁻⁵², twice the unit roundoff of float64."""
ULPS = 4
"""Units in the last place by which `exp` and `log` may be off."""


class Bounded(NDArrayOperatorsMixin):
    """A float64 array `value` and, of the same shape, `error` ≥ |value − exact value|."""

    __slots__ = ("error", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any, error: Any) -> None:
        self.value = np.asarray(value)
        self.error = np.asarray(error)

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return Namespace()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any) -> Bounded:
        """The operators, by `OPERATORS`."""
        if ufunc not in OPERATORS or method != "__call__":
            return NotImplemented
        return OPERATORS[ufunc](*map(bounded, inputs))

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

    def __pow__(self, exponent: int) -> Bounded:
        power = bounded(np.ones(self.shape))
        for _ in range(exponent):
            power = power * self
        return power

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


def _negative(a: Bounded) -> Bounded:
    return Bounded(-a.value, a.error)


def _sum(a: Bounded, b: Bounded) -> Bounded:
    return _rounded(a.value + b.value, a.error + b.error)


def _product(a: Bounded, b: Bounded) -> Bounded:
    return _rounded(a.value * b.value, _bilinear(np.multiply, a, b))


def _matrix_product(a: Bounded, b: Bounded) -> Bounded:
    added = a.shape[-1] * EPSILON * (np.abs(a.value) @ np.abs(b.value))
    return Bounded(a.value @ b.value, _bilinear(np.matmul, a, b) + added)


def _quotient(a: Bounded, b: Bounded) -> Bounded:
    room = np.abs(b.value) - b.error  # how near to 0 the exact divisor may be
    quotient = a.value / b.value
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(room > 0, (a.error + np.abs(quotient) * b.error) / room, np.inf)
    return _rounded(quotient, error)


OPERATORS: dict[np.ufunc, Callable[..., Bounded]] = {
    np.negative: _negative,
    np.add: _sum,
    np.subtract: lambda a, b: _sum(a, _negative(b)),
    np.multiply: _product,
    np.matmul: _matrix_product,
    np.divide: _quotient,
}


def _rounded(value: np.ndarray, error: np.ndarray) -> Bounded:
    return Bounded(value, error + EPSILON * np.abs(value))


def _bilinear(multiply: np.ufunc, a: Bounded, b: Bounded) -> Any:
    """What the errors of two factors make of a product: |a| eb + ea |b| + ea eb."""
    return multiply(np.abs(a.value) + a.error, b.error) + multiply(a.error, np.abs(b.value))


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
