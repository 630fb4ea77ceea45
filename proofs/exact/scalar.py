"""An exact scalar: a fraction of two polynomials of any polynomial ring, compared by cross-multiplication.

A bare polynomial never enters NumPy, which would take it for a sequence: this class is not iterable. The denominator
is None for 1, so that polynomial identities never pay for fractions.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from .meter import Meter

_multiplying: Meter | None = None
"""Counts the products of terms, where somebody limits them."""


@contextmanager
def multiplying(products: int) -> Iterator[None]:
    """Inside the block polynomials are multiplied as long as these products of two terms last.

    Raises:
        TooLong: when they are spent.
    """
    global _multiplying
    around, _multiplying = _multiplying, Meter(products)
    try:
        yield
    finally:
        _multiplying = around


class DivisionByZero(ArithmeticError):
    """There is no value: a denominator is identically zero, or a root or logarithm is not a real number."""


class NotPolynomial(ArithmeticError):
    """exp or log of a symbol was needed where only polynomials live."""


ONE = (1,)


class Ratio:
    """numerator / denominator in a polynomial ring; `==` compares values, not representations."""

    __slots__ = ("den", "num")

    def __init__(self, num: Any, den: Any = None) -> None:
        self.num = num
        self.den = den

    def __add__(self, other: Ratio) -> Ratio:
        if not self.num:  # most entries of masks, unit vectors and tangents are 0
            return other
        if not other.num:
            return self
        if self.den is None and other.den is None:
            return Ratio(self.num + other.num)
        if self.den == other.den:
            return Ratio(self.num + other.num, self.den)
        left, right = self.num, other.num
        if _multiplying is not None:
            _multiplying.spend(
                len(left) * len(other.den or ONE) + len(right) * len(self.den or ONE)
            )
        if other.den is not None:
            left = left * other.den
        if self.den is not None:
            right = right * self.den
        return Ratio(left + right, _product(self.den, other.den))

    def __neg__(self) -> Ratio:
        return Ratio(-self.num, self.den)

    def __sub__(self, other: Ratio) -> Ratio:
        if self.den is None and other.den is None:
            return Ratio(self.num - other.num)
        return self + (-other)

    def __mul__(self, other: Ratio) -> Ratio:
        if not self.num:
            return self
        if not other.num:
            return other
        if _multiplying is not None:
            _multiplying.spend(len(self.num) * len(other.num))
        if self.den is None and other.den is None:
            return Ratio(self.num * other.num)
        return Ratio(self.num * other.num, _product(self.den, other.den))

    def __radd__(self, number: int) -> Ratio:
        return self + Ratio(self.num * 0 + number)

    def __rmul__(self, number: int) -> Ratio:
        return Ratio(self.num * number, self.den)

    def __truediv__(self, other: Ratio | int) -> Ratio:
        if isinstance(other, int):
            return Ratio(self.num / other, self.den)
        if not other.num:
            raise DivisionByZero("division by an expression that is identically zero")
        num = self.num if other.den is None else self.num * other.den
        constant = _constant(other.num)
        if constant is not None:
            return Ratio(num * (1 / constant), self.den)
        return Ratio(num, _product(self.den, other.num))

    def __pow__(self, exponent: int) -> Ratio:
        return Ratio(self.num**exponent, None if self.den is None else self.den**exponent)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ratio):
            return NotImplemented
        return not (self - other).num

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        return bool(self.num)

    def __repr__(self) -> str:
        return str(self.num) if self.den is None else f"({self.num})/({self.den})"


def _constant(polynomial: Any) -> Any:
    """The coefficient of a constant polynomial of flint or sympy, else None."""
    flint_test = getattr(polynomial, "is_constant", None)
    if flint_test is not None:
        return polynomial.leading_coefficient() if flint_test() else None
    return polynomial.LC if polynomial.is_ground else None


def _product(left: Any, right: Any) -> Any:
    if left is None:
        return right
    if right is not None and _multiplying is not None:
        _multiplying.spend(len(left) * len(right))
    return left if right is None else left * right


def as_fraction(value: Any) -> Fraction:
    """A whole number, a Fraction, or a float that is the very number it is written as, 0.5 or 2.0, as a Fraction.

    Raises:
        TypeError: for another float, such as 0.1, which is not the number that its author meant.
    """
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    if hasattr(value, "__index__"):
        return Fraction(value.__index__())
    if isinstance(value, float) or type(value).__module__ == "numpy":
        near = float(value) if isinstance(value, numbers.Real) else math.nan
        if near == value and math.isfinite(near) and Fraction(repr(near)) == near:
            return Fraction(near)
    advice = ""
    if isinstance(value, numbers.Real) and math.isfinite(value):
        exact = Fraction(repr(float(value)))
        near = exact.limit_denominator(10**6)
        is_meant = abs(near - exact) <= abs(exact) / 10**6  # of 1e-12 the nearest is 0
        p, q = (near if is_meant else exact).as_integer_ratio()
        advice = f"; write Fraction({p}, {q}), and quotients and roots of sizes with arrays, as xp.asarray(N)"
    raise TypeError(
        f"exact arithmetic expects an int or a fractions.Fraction, got {value!r} ({type(value).__name__}){advice}."
    )
