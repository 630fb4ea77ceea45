"""Scalars of one field, in object arrays: what a program computes with at numeric sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ...exact.array import CALL, ExactArray, Namespace
from ...exact.scalar import NotPolynomial
from ..literals import meant


class NoNumber:
    """NaN or an infinity. Of these −∞ is compared, and stays what it is when numbers are added, as masks have it."""

    def __init__(self, value: float) -> None:
        self.value = value

    def _refused(self, *others: Any) -> Any:
        raise NotPolynomial(f"the number {self.value}")

    __rsub__ = __mul__ = __rmul__ = _refused
    __truediv__ = __rtruediv__ = __neg__ = __pow__ = _refused

    def _plus(self, other: Any) -> NoNumber:
        return self if self.is_least and not isinstance(other, NoNumber) else self._refused()

    __add__ = __radd__ = __sub__ = _plus

    @property
    def is_least(self) -> bool:
        return self.value == -math.inf

    def __lt__(self, other: Any) -> bool:
        return not isinstance(other, NoNumber) if self.is_least else self._refused()

    def __gt__(self, other: Any) -> bool:
        return False if self.is_least else self._refused()

    def __le__(self, other: Any) -> bool:
        return True if self.is_least else self._refused()

    def __ge__(self, other: Any) -> bool:
        return isinstance(other, NoNumber) if self.is_least else self._refused()


class Computer:
    """Scalars of one field."""

    def __init__(self, field: Any) -> None:
        self.field = field
        self.xp = Namespace(field)
        self._meter = getattr(field, "meter", None)

    def spend(self, operations: int) -> None:
        """Count operations, where the field counts them."""
        if self._meter is not None:
            self._meter.spend(operations)

    def prepared(self, name: str, value: Any) -> Any:
        """An input of a primitive, counted."""
        self.spend(CALL // 5 + np.size(value))
        return value

    def constant(self, value: Any) -> np.ndarray:
        """A number or array of the program; a float stands for the number that it means."""
        array = np.asarray(value)
        if array.dtype.kind in "biu":
            return array
        if array.dtype.kind == "c":
            raise NotPolynomial("a complex number")
        return self.map(lambda x: self.number(float(x), str(array.dtype)), array)

    def number(self, value: float, dtype: str) -> Any:
        """What a literal of this format means, in the field's own way of reading literals if it has one.

        Raises:
            NotPolynomial: if it is a root, and the field has none.
        """
        if not math.isfinite(value):
            return NoNumber(value)
        own = getattr(self.field, "literal", None)
        given = meant(value, dtype)
        return given.scalar(self.field) if own is None else own(given)

    def as_scalar(self, number: Any) -> Any:
        """A number that was compared, as a scalar again."""
        return number if isinstance(number, NoNumber) else self.field.number(number)

    def map(self, function: Callable[[Any], Any], array: np.ndarray) -> np.ndarray:
        """A function of each entry, as an array of scalars."""
        out = np.empty(array.shape, dtype=object)
        for place in np.ndindex(array.shape):
            out[place] = function(array[place])
        return out

    def reals(self, array: np.ndarray) -> np.ndarray:
        """Integers and booleans as scalars."""
        if array.dtype == object:
            return array
        return self.map(lambda x: self.field.number(int(x)), array)

    def array(self, value: np.ndarray) -> ExactArray:
        return ExactArray(_numbers(own(self.reals(np.asarray(value)))), self.field)

    def function(self, name: str, array: np.ndarray) -> np.ndarray:
        """A named function of each entry, if the field has it."""
        own = getattr(self.field, name, None)
        if own is None:
            raise NotPolynomial(name)
        if name == "exp":  # exp(−∞) = 0
            zero = self.field.number(0)
            return self.map(lambda x: zero if _is_least(x) else own(x), self.reals(array))
        return self.map(own, _numbers(self.reals(array)))


def _is_least(scalar: Any) -> bool:
    return isinstance(scalar, NoNumber) and scalar.is_least


def _numbers(array: np.ndarray) -> np.ndarray:
    """The array, if every entry is a number."""
    for one in array.flat:
        if isinstance(one, NoNumber):
            one._refused()
    return array


def own(array: np.ndarray) -> np.ndarray:
    out = np.empty(array.shape, dtype=object)
    for place in np.ndindex(array.shape):
        out[place] = array[place]
    return out


def objects(value: Any) -> np.ndarray:
    """NumPy hands 0-d results of objects out as bare scalars."""
    if isinstance(value, np.ndarray):
        return value
    out = np.empty((), dtype=object)
    out[()] = value
    return out


def fractions(computer: Computer, array: np.ndarray) -> np.ndarray:
    """Entries that are plain numbers, balls, or −∞: what can be compared.

    Raises:
        NotPolynomial: if one of them has a symbol in it.
    """
    from ...evidence.engines import as_constant

    own = getattr(computer.field, "as_constant", as_constant)

    def number(scalar: Any) -> Any:
        if isinstance(scalar, NoNumber):
            return scalar if scalar.is_least else scalar._refused()
        found = scalar if isinstance(scalar, Fraction) else own(scalar)
        if found is None:
            raise NotPolynomial("a comparison")
        return found

    return computer.map(number, computer.reals(array))
