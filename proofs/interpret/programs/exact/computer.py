"""Scalars of one field, in object arrays: what a program computes with at numeric sizes."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ....exact.array import ExactArray, Namespace
from ....exact.entries import arranged, as_array
from ....exact.field import Field
from ....exact.meter import CALL
from ....exact.scalar import DivisionByZero, NotPolynomial
from ..literals import is_table, meant


class NoNumber:
    """NaN or an infinity. Infinities are compared; −∞ is kept where a number is added, as masks have it.

    NaN stays what it is in arithmetic, and is not compared: it stands for x/0 too, which is larger than any number or
    smaller.
    """

    def __init__(self, value: float) -> None:
        self.value = value

    @property
    def is_nan(self) -> bool:
        """Whether it is NaN."""
        return math.isnan(self.value)

    @property
    def is_least(self) -> bool:
        """Whether it is −∞."""
        return self.value == -math.inf

    @property
    def is_greatest(self) -> bool:
        """Whether it is ∞."""
        return self.value == math.inf

    def refused(self) -> Any:
        """Refuse to compute with it."""
        raise NotPolynomial(f"the number {self.value}")

    def __lt__(self, other: Any) -> bool:
        return self._order(other) < 0

    def __gt__(self, other: Any) -> bool:
        return self._order(other) > 0

    def __le__(self, other: Any) -> bool:
        return self._order(other) <= 0

    def __ge__(self, other: Any) -> bool:
        return self._order(other) >= 0

    def __eq__(self, other: object) -> bool:
        return self._order(other) == 0

    def __ne__(self, other: object) -> bool:
        return self._order(other) != 0

    __hash__ = None  # type: ignore[assignment]

    def _order(self, other: Any) -> int:
        """−1, 0 or 1: where it stands beside a number, or beside −∞ or ∞."""
        if self.is_nan or _is_nan(other):
            self.refused()
        place = other.value if isinstance(other, NoNumber) else 0
        return (self.value > place) - (self.value < place)


NAN = NoNumber(math.nan)


def _is_nan(scalar: Any) -> bool:
    return isinstance(scalar, NoNumber) and scalar.is_nan


def _is_least(scalar: Any) -> bool:
    return isinstance(scalar, NoNumber) and scalar.is_least


def without_nan(entries: Iterable[Any]) -> bool:
    """Whether no entry is NaN, which whatever is made of all of them would be too."""
    return not any(map(_is_nan, entries))


def of_scalars(array: np.ndarray) -> bool:
    """Whether the entries are a field's scalars, and not NumPy's integers or booleans."""
    return array.dtype == object


class Computer:
    """Scalars of one field."""

    def __init__(self, field: Field) -> None:
        self.field = field
        self.xp = Namespace(field)
        self.odd = False
        """Whether an entry may be NaN or an infinity."""

    def spend(self, operations: int) -> None:
        """Count operations, where the field counts them."""
        if self.field.meter is not None:
            self.field.meter.spend(operations)

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
        if is_table(array):
            self.spend(array.size)
            return self.map(lambda x: self.as_it_is(float(x)), array)
        return self.map(lambda x: self.number(float(x), str(array.dtype)), array)

    def as_it_is(self, value: float) -> Any:
        """A floating-point number as the binary fraction that it is."""
        if not math.isfinite(value):
            self.odd = True
            return NoNumber(value)
        return self.field.number(Fraction(value))

    def number(self, value: float, dtype: str) -> Any:
        """What a literal of this format means, in the field's own way of reading literals if it has one.

        Raises:
            NotPolynomial: if it is a root, and the field has none.
        """
        if not math.isfinite(value):
            return self.as_it_is(value)
        return self.field.literal(meant(value, dtype))

    def as_scalar(self, number: Any) -> Any:
        """A number that was compared, as a scalar again."""
        return number if isinstance(number, NoNumber) else self.field.number(number)

    def map(self, function: Callable[[Any], Any], array: np.ndarray) -> np.ndarray:
        """A function of each entry, as an array of scalars."""
        return arranged(map(function, array.flat), array.shape)

    def reals(self, array: np.ndarray) -> np.ndarray:
        """Integers and booleans as scalars."""
        if of_scalars(array):
            return array
        return self.map(lambda x: self.field.number(int(x)), array)

    def array(self, value: np.ndarray) -> ExactArray:
        """An array of the field's scalars."""
        return ExactArray(_numbers(self.reals(np.asarray(value)).copy()), self.field)

    def function(self, name: str, array: np.ndarray) -> np.ndarray:
        """A named function of each entry, if the field has it."""
        own = getattr(self.field, name, None)
        self.field.compared |= name == "abs"
        if own is None:
            raise NotPolynomial(name)

        def value(x: Any) -> Any:
            if isinstance(x, NoNumber):
                return (
                    x
                    if x.is_nan
                    else self.field.number(0)
                    if name == "exp" and x.is_least
                    else x.refused()
                )
            return own(x)

        return self.map(self._or_nan(value), self.reals(array))

    def alike(self, *arrays: np.ndarray) -> Sequence[np.ndarray]:
        """Arrays that meet: scalars all, if one of them is of scalars."""
        return [self.reals(one) for one in arrays] if any(map(of_scalars, arrays)) else arrays

    def combined(self, operation: Callable[[Any, Any], Any], a: Any, b: Any) -> np.ndarray:
        """+ − · / of scalars entry by entry; where there is no value it is NaN, which a selection may leave out."""
        a, b = self.reals(np.asarray(a)), self.reals(np.asarray(b))
        if not self.odd:
            with contextlib.suppress(DivisionByZero, ZeroDivisionError):
                return as_array(operation(a, b))
        self.odd = True
        left, right = np.broadcast_arrays(a, b)
        take = self._or_nan(lambda pair: _combined(operation, *pair))
        return arranged(map(take, zip(left.flat, right.flat, strict=True)), left.shape)

    def _or_nan(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The function, NaN where it has no value."""

        def value(x: Any) -> Any:
            try:
                return function(x)
            except (DivisionByZero, ZeroDivisionError):
                self.odd = True
                return NAN

        return value


def _combined(operation: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    odd = [one for one in (x, y) if isinstance(one, NoNumber)]
    if not odd:
        return operation(x, y)
    if not without_nan(odd):
        return NAN
    if operation is np.add and all(map(_is_least, odd)):
        return odd[0]
    if operation is np.subtract and _is_least(x):
        return NAN if _is_least(y) else x
    return odd[0].refused()


def _numbers(array: np.ndarray) -> np.ndarray:
    """The array, if every entry is a number.

    Raises:
        DivisionByZero: if one is NaN.
        NotPolynomial: if one is infinite.
    """
    for one in array.flat:
        if _is_nan(one):
            raise DivisionByZero("a result that is not a number")
        if isinstance(one, NoNumber):
            one.refused()
    return array


def fractions(computer: Computer, array: np.ndarray) -> np.ndarray:
    """Entries that are plain numbers, balls, or −∞: what can be compared.

    Raises:
        NotPolynomial: if one of them has a symbol in it.
    """

    computer.field.compared = True

    def number(scalar: Any) -> Any:
        if isinstance(scalar, NoNumber):
            return scalar.refused() if scalar.is_nan else scalar
        found = scalar if isinstance(scalar, Fraction) else computer.field.as_constant(scalar)
        if found is None:
            raise NotPolynomial("a comparison")
        return found

    return computer.map(number, computer.reals(array))
