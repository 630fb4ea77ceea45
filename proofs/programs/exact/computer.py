"""Scalars of one field, in object arrays: what a program computes with at numeric sizes."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ...exact.array import ExactArray, Namespace
from ...exact.scalar import NotPolynomial


class NoNumber:
    """NaN or an infinity, which may stand in a program and not be computed with."""

    def __init__(self, value: float) -> None:
        self.value = value

    def _refused(self, *others: Any) -> Any:
        raise NotPolynomial(f"the number {self.value}")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refused
    __truediv__ = __rtruediv__ = __neg__ = __pow__ = _refused


class Computer:
    """Scalars of one field."""

    def __init__(self, field: Any) -> None:
        self.field = field
        self.xp = Namespace(field)

    def constant(self, value: Any) -> np.ndarray:
        """A number or array of the program; a float stands for the number that it is in binary."""
        array = np.asarray(value)
        if array.dtype.kind in "biu":
            return array
        if array.dtype.kind == "c":
            raise NotPolynomial("a complex number")
        return self.map(lambda x: self.number(float(x)), array)

    def number(self, value: float) -> Any:
        if not math.isfinite(value):
            return NoNumber(value)
        return self.field.number(Fraction(value))

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
        """exp, log, sqrt or abs of each entry."""
        return self.map(getattr(self.field, name), _numbers(self.reals(array)))


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
    """Entries that are plain numbers.

    Raises:
        NotPolynomial: if one of them has a symbol in it.
    """
    from ...evidence.engines import as_constant

    def number(scalar: Any) -> Fraction:
        if isinstance(scalar, NoNumber):
            scalar._refused()
        found = scalar if isinstance(scalar, Fraction) else as_constant(scalar)
        if found is None:
            raise NotPolynomial("a comparison")
        return found

    return computer.map(number, computer.reals(array))
