"""`ExactArray`: NumPy's array operators over exact scalars of one field, with their NumPy meaning.

A field supplies its scalars' arithmetic and how a Python number, `exp` and `log` are written in it. Zero-dimensional
results stay arrays, shapes are checked by NumPy itself, and the namespace has the constructors that definitions use.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import repeat
from typing import Any

import numpy as np

from scanproof.constructs.arrays.masks import Mask, refused
from scanproof.constructs.arrays.numpy_functions import NumPyFunctions
from scanproof.constructs.arrays.operators import Namespace as Functions
from scanproof.constructs.arrays.operators import Operators
from scanproof.constructs.arrays.protocols import speaking_among

from .entries import arranged, as_array, filled
from .field import Field
from .meter import CALL
from .scalar import NotPolynomial
from .singular_values import largest_singular_value


class ExactArray(Operators):
    """An array of exact scalars; `+ - * / ** @ .T .mT .sum` and indexing mean what they mean in NumPy."""

    __slots__ = ("entries", "field")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, entries: np.ndarray, field: Field) -> None:
        entries.setflags(write=False)  # a definition computes new arrays, it never changes one
        self.entries = entries
        self.field = field

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return Namespace(self.field)

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.entries.shape

    def item(self) -> Any:
        """The scalar of an array with one entry."""
        return self.entries.item()

    def _operand(self, other: Any) -> Any:
        if isinstance(other, ExactArray):
            if other.field is not self.field:
                raise TypeError(
                    f"arrays of two engines meet: {self.field.name} and {other.field.name}; build every array "
                    "of a claim from its symbols or from their namespace."
                )
            return other
        if hasattr(other, "__array_namespace__") or isinstance(other, np.generic):
            return super()._operand(
                other
            )  # NumPy's whole numbers are exact, its floats are refused
        return ExactArray(as_array(self.field.number(other)), self.field)

    def _combined(
        self, operation: Callable[[Any, Any], Any], left: ExactArray, right: ExactArray
    ) -> ExactArray:
        if operation is not operator.matmul:
            return self._wrap(operation(left.entries, right.entries))
        product, length = self.field.matmul(left.entries, right.entries), left.entries.shape[-1]
        if length == 0:  # NumPy's empty sum of objects is the integer 0
            product = filled(np.shape(product), self.field.number(0))
        return self._wrap(product, length)

    def _moved(self, move: Callable[[np.ndarray], np.ndarray]) -> ExactArray:
        return ExactArray(move(self.entries), self.field)

    def _wrap(self, result: Any, operations: int = 1) -> ExactArray:
        """The result of this number of operations for each of its entries."""
        result = as_array(result)
        if self.field.meter is not None:
            self.field.meter.spend(CALL + operations * result.size)
        return ExactArray(result, self.field)

    def __neg__(self) -> ExactArray:
        return self._wrap(-self.entries)

    def __getitem__(self, index: Any) -> ExactArray:
        return self._wrap(self.entries[index])

    def __pow__(self, exponent: Any) -> ExactArray:
        if not isinstance(exponent, Positions):
            return super().__pow__(exponent)
        bases, numbers = np.broadcast_arrays(self.entries, exponent.numbers)
        powers = map(_power, bases.flat, numbers.flat, repeat(self.field.number(1)))
        return self._wrap(arranged(powers, bases.shape), 1 + max(map(abs, numbers.flat), default=0))

    def _total(self, axis: int | None = None) -> ExactArray:
        if self.entries.size == 0 or (axis is not None and self.shape[axis] == 0):
            shape = () if axis is None else tuple(np.delete(self.shape, axis))
            return self._wrap(filled(shape, self.field.number(0)))
        total = np.add.reduce(self.entries, axis=axis)
        return self._wrap(total, self.entries.size if axis is None else self.shape[axis])

    def __repr__(self) -> str:
        return f"ExactArray({self.entries.tolist()})"


class Positions(ExactArray):
    """An array of numbers that do not depend on any input, such as np.arange(T): these are compared."""

    __slots__ = ("numbers",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, numbers: np.ndarray, field: Field) -> None:
        super().__init__(arranged(map(field.number, numbers.flat), numbers.shape), field)
        self.numbers = numbers

    def _moved(self, move: Callable[[np.ndarray], np.ndarray]) -> Positions:
        return Positions(as_array(move(self.numbers)), self.field)

    def __neg__(self) -> Positions:
        return self._moved(operator.neg)

    def __getitem__(self, index: Any) -> Positions:
        return self._moved(lambda numbers: numbers[index])

    def _met(self, operation: Callable[[Any, Any], Any], other: Any, swapped: bool = False) -> Any:
        numbers = _numbers(other)
        if numbers is None or operation not in (operator.add, operator.sub, operator.mul):
            return super()._met(operation, other, swapped)
        if swapped:
            return self._moved(lambda own: operation(numbers, own))
        return self._moved(lambda own: operation(own, numbers))

    def _ordered(self, other: Any, sign: int, least: int) -> Any:
        numbers = _numbers(other)
        if numbers is None:
            return super()._ordered(other, sign, least)
        holds = as_array(sign * (self.numbers - numbers)) >= least
        return self.__array_namespace__().asarray(as_array(holds).astype(int))


def _numbers(value: Any) -> Any:
    """Numbers that no input is in, or None."""
    if isinstance(value, Positions):
        return value.numbers
    return value if type(value) is int else None


class Namespace(Functions, NumPyFunctions):
    """Constructors and named functions of exact arrays (a part of the array API)."""

    arrays, library = "exact arrays", np

    def __init__(self, field: Field) -> None:
        self.field = field
        if (
            field.differentiate is not None and field.generators
        ):  # at a point dual numbers are far faster
            self.differentiate = self._differentiate

    def asarray(self, value: Any) -> ExactArray:
        """Numbers, nested lists of numbers, or an exact array."""
        if isinstance(value, ExactArray):
            return value
        if isinstance(value, Mask):
            raise refused("an array")
        if isinstance(value, list | tuple) and speaking_among(value) is not None:
            return self.stack([self.asarray(part) for part in value])
        return self._map(self._number, np.asarray(value, dtype=object))

    def _differentiate(self, loss: Callable[[ExactArray], Any], at: ExactArray) -> ExactArray:
        def entry(point: np.ndarray) -> Any:
            return self._number(loss(ExactArray(point, self.field)))

        return ExactArray(self.field.differentiate(entry, at.entries), self.field)

    def _number(self, value: Any) -> Any:
        return value.item() if isinstance(value, ExactArray) else self.field.number(value)

    def arange(self, start: Any, stop: Any = None, step: int = 1) -> Positions:
        """start, start + step, … below `stop`; from 0 if one number is given."""
        places = range(start) if stop is None else range(start, stop, step)
        return Positions(arranged(map(Fraction, places), (len(places),)), self.field)

    def is_mask(self, array: ExactArray) -> bool:
        """Whether every entry is the number 0 or 1."""
        zero, one = self.field.number(0), self.field.number(1)
        return all(bool(entry == zero) or bool(entry == one) for entry in array.entries.flat)

    def _map(self, function: Callable[[Any], Any], entries: np.ndarray) -> ExactArray:
        return ExactArray(arranged(map(function, entries.flat), entries.shape), self.field)

    def _joined(self, join: Callable[[list[Any]], Any], arrays: Sequence[Any]) -> ExactArray:
        return ExactArray(join([self.asarray(a).entries for a in arrays]), self.field)

    def zeros(self, shape: Any) -> ExactArray:
        """An array of zeros."""
        return ExactArray(filled(shape, self.field.number(0)), self.field)

    def ones(self, shape: Any) -> ExactArray:
        """An array of ones."""
        return ExactArray(filled(shape, self.field.number(1)), self.field)

    def eye(self, size: int) -> ExactArray:
        """The identity matrix."""
        out = filled((size, size), self.field.number(0))
        np.fill_diagonal(out, self.field.number(1))
        return ExactArray(out, self.field)

    def tril(self, array: ExactArray, k: int = 0) -> ExactArray:
        """The entries of matrices at and below the diagonal number k, zeros above it."""
        out, zero = array.entries.copy(), self.field.number(0)
        for index in np.ndindex(out.shape):
            if index[-1] > index[-2] + k:
                out[index] = zero
        return ExactArray(out, self.field)

    def exp(self, array: Any) -> ExactArray:
        """The exponential function, entry by entry."""
        return self._map(self.field.exp, self.asarray(array).entries)

    def log(self, array: Any) -> ExactArray:
        """The natural logarithm, entry by entry."""
        return self._map(self.field.log, self.asarray(array).entries)

    def sqrt(self, array: Any) -> ExactArray:
        """The square root, entry by entry."""
        return self._map(self.field.sqrt, self.asarray(array).entries)

    def abs(self, array: Any) -> ExactArray:
        """The absolute value, entry by entry."""
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
        shape = matrices.shape[:-2]
        values = (
            largest_singular_value(self.field, matrices[index]) for index in np.ndindex(shape)
        )
        return ExactArray(arranged(values, shape), self.field)


def _power(base: Any, exponent: Any, one: Any) -> Any:
    """base to the power of a whole number, of either sign."""
    if exponent.denominator != 1:
        raise NotPolynomial("a power with a broken exponent")
    power = reduce(operator.mul, repeat(base, abs(int(exponent))), one)
    return one / power if exponent < 0 else power


def _without_symbols(array: ExactArray) -> ExactArray:
    """The array, if sympy may take its norm: norms of symbols are for points and for the kernel.

    Raises:
        NotPolynomial: if there are sympy's symbols in it.
    """
    if any(getattr(entry, "free_symbols", None) for entry in array.entries.flat):
        raise NotPolynomial("a norm")
    return array
