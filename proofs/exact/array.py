"""`ExactArray`: NumPy's array operators over exact scalars of one field, with their NumPy meaning.

A field supplies its scalars' arithmetic and how a Python number, `exp` and `log` are written in it. Zero-dimensional
results stay arrays, shapes are checked by NumPy itself, and the namespace has the constructors that definitions use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .scalar import NotPolynomial
from .singular_values import largest_singular_value

CALL = 20
"""What a call costs, in operations on scalars, where a field counts them (`residues.Meter`)."""


class ExactArray:
    """An array of exact scalars; `+ - * / ** @ .T .mT .sum` and indexing mean what they mean in NumPy."""

    __slots__ = ("entries", "field")
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, entries: np.ndarray, field: Any) -> None:
        entries.setflags(write=False)  # a definition computes new arrays, it never changes one
        self.entries = entries
        self.field = field

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return Namespace(self.field)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.entries.shape

    @property
    def ndim(self) -> int:
        return self.entries.ndim

    @property
    def T(self) -> ExactArray:
        return ExactArray(self.entries.T, self.field)

    @property
    def mT(self) -> ExactArray:
        return ExactArray(np.swapaxes(self.entries, -1, -2), self.field)

    def item(self) -> Any:
        """The scalar of an array with one entry."""
        return self.entries.item()

    def _other(self, other: Any) -> np.ndarray | None:
        if isinstance(other, ExactArray):
            if other.field is not self.field:
                raise TypeError(
                    f"arrays of two engines meet: {self.field.name} and {other.field.name}; build every array "
                    "of a claim from its symbols or from their namespace."
                )
            return other.entries
        if isinstance(
            other, np.generic | np.ndarray
        ):  # whole numbers are exact, floats are refused
            return Namespace(self.field).asarray(other).entries
        if hasattr(other, "__array_namespace__"):
            return None
        return _zero_dimensional(self.field.number(other))

    def _binary(self, other: Any, operation: Callable[[Any, Any], Any], swap: bool = False) -> Any:
        entries = self._other(other)
        if entries is None:
            return NotImplemented
        left, right = (entries, self.entries) if swap else (self.entries, entries)
        return self._wrap(operation(left, right))

    def _wrap(self, result: Any, operations: int = 1) -> ExactArray:
        """The result of so many operations for each of its entries."""
        if not isinstance(result, np.ndarray):  # NumPy hands 0-d results out as bare scalars
            result = _zero_dimensional(result)
        meter = getattr(self.field, "meter", None)
        if meter is not None:
            meter.spend(CALL + operations * result.size)
        return ExactArray(result, self.field)

    def __add__(self, other: Any) -> ExactArray:
        return self._binary(other, np.add)

    __radd__ = __add__

    def __sub__(self, other: Any) -> ExactArray:
        return self._binary(other, np.subtract)

    def __rsub__(self, other: Any) -> ExactArray:
        return self._binary(other, np.subtract, swap=True)

    def __mul__(self, other: Any) -> ExactArray:
        return self._binary(other, np.multiply)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> ExactArray:
        return self._binary(other, np.true_divide)

    def __rtruediv__(self, other: Any) -> ExactArray:
        return self._binary(other, np.true_divide, swap=True)

    def __neg__(self) -> ExactArray:
        return self._wrap(np.negative(self.entries))

    def __pow__(self, exponent: int | np.integer) -> ExactArray:
        if not hasattr(exponent, "__index__") or exponent < 0:
            raise TypeError(f"an exact array takes powers 0, 1, 2, …, got {exponent!r}")
        power = self._wrap(np.full(self.shape, self.field.number(1), dtype=object))
        for _ in range(exponent.__index__()):
            power = power * self
        return power

    def __matmul__(self, other: Any) -> ExactArray:
        entries = self._other(other)
        if entries is None:
            return NotImplemented
        product = getattr(self.field, "matmul", np.matmul)(self.entries, entries)
        length = self.entries.shape[-1]
        if length == 0:  # NumPy's empty sum of objects is the integer 0
            product = _filled(np.shape(product), self.field.number(0))
        return self._wrap(product, length)

    def __getitem__(self, index: Any) -> ExactArray:
        return self._wrap(self.entries[index])

    def sum(self, axis: int | None = None) -> ExactArray:
        if self.entries.size == 0 or (axis is not None and self.shape[axis] == 0):
            shape = () if axis is None else tuple(np.delete(self.shape, axis))
            return self._wrap(np.full(shape, self.field.number(0), dtype=object))
        total = np.add.reduce(self.entries, axis=axis)
        return self._wrap(total, self.entries.size if axis is None else self.shape[axis])

    def __len__(self) -> int:
        return len(self.entries)

    def __bool__(self) -> bool:
        raise TypeError(
            "a symbolic array has no truth value: a definition must not branch on its numbers; use a mask or a size."
        )

    def __eq__(self, other: object) -> Any:
        raise TypeError("compare arrays in a claim with equal(left, right), not with ==.")

    def __repr__(self) -> str:
        return f"ExactArray({self.entries.tolist()})"


class Namespace:
    """Constructors and named functions of exact arrays (a part of the array API)."""

    def __init__(self, field: Any) -> None:
        self.field = field
        differentiate = getattr(field, "differentiate", None)
        if differentiate is not None and field.generators:  # at a point dual numbers are far faster
            self.differentiate = differentiate

    def asarray(self, value: Any) -> ExactArray:
        """Numbers, nested lists of numbers, or an exact array."""
        if isinstance(value, ExactArray):
            return value
        raw = np.asarray(value, dtype=object)
        return self._map(self.field.number, raw)

    def _map(self, function: Callable[[Any], Any], entries: np.ndarray) -> ExactArray:
        out = np.empty(entries.shape, dtype=object)
        row = out.reshape(-1)
        for k, entry in enumerate(entries.flat):
            row[k] = function(entry)
        return ExactArray(out, self.field)

    def zeros(self, shape: Any) -> ExactArray:
        return ExactArray(_filled(shape, self.field.number(0)), self.field)

    def ones(self, shape: Any) -> ExactArray:
        return ExactArray(_filled(shape, self.field.number(1)), self.field)

    def eye(self, size: int) -> ExactArray:
        out = _filled((size, size), self.field.number(0))
        np.fill_diagonal(out, self.field.number(1))
        return ExactArray(out, self.field)

    def stack(self, arrays: Sequence[Any], axis: int = 0) -> ExactArray:
        return ExactArray(
            np.stack([self.asarray(a).entries for a in arrays], axis=axis), self.field
        )

    def concat(self, arrays: Sequence[Any], axis: int = 0) -> ExactArray:
        parts = [self.asarray(a).entries for a in arrays]
        return ExactArray(np.concatenate(parts, axis=axis), self.field)

    def reshape(self, array: ExactArray, shape: Any) -> ExactArray:
        return ExactArray(array.entries.reshape(shape), self.field)

    def tril(self, array: ExactArray) -> ExactArray:
        out, zero = array.entries.copy(), self.field.number(0)
        for index in np.ndindex(out.shape):
            if index[-1] > index[-2]:
                out[index] = zero
        return ExactArray(out, self.field)

    def exp(self, array: Any) -> ExactArray:
        return self._map(self.field.exp, self.asarray(array).entries)

    def log(self, array: Any) -> ExactArray:
        return self._map(self.field.log, self.asarray(array).entries)

    def sqrt(self, array: Any) -> ExactArray:
        return self._map(self.field.sqrt, self.asarray(array).entries)

    def abs(self, array: Any) -> ExactArray:
        return self._map(self.field.abs, self.asarray(array).entries)

    def norm(self, array: Any) -> ExactArray:
        """See `constructs.arrays.norms`."""
        array = _without_symbols(self.asarray(array))
        if array.shape[-1] == 1:
            return self.abs(array[..., 0])
        return self.sqrt((array * array).sum(axis=-1))

    def operator_norm(self, array: Any) -> ExactArray:
        """See `constructs.arrays.norms`."""
        matrices = _without_symbols(self.asarray(array)).entries
        out = np.empty(matrices.shape[:-2], dtype=object)
        for index in np.ndindex(out.shape):
            out[index] = largest_singular_value(self.field, matrices[index])
        return ExactArray(out, self.field)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"exact arrays have no function {name!r}; known: abs, asarray, concat, exp, eye, log, norm, ones, "
            "operator_norm, reshape, sqrt, stack, tril, zeros"
        )


def _without_symbols(array: ExactArray) -> ExactArray:
    """The array, if sympy may take its norm: norms of symbols are for points and for the kernel.

    Raises:
        NotPolynomial: if there are sympy's symbols in it.
    """
    if any(getattr(entry, "free_symbols", None) for entry in array.entries.flat):
        raise NotPolynomial("a norm")
    return array


def _zero_dimensional(value: Any) -> np.ndarray:
    out = np.empty((), dtype=object)
    out[()] = value
    return out


def _filled(shape: Any, value: Any) -> np.ndarray:
    out = np.empty(shape, dtype=object)
    out.fill(value)
    return out
