"""Which numbers are roundings of the same number, and which simple number a float is a rounding of."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..export.exporting import HALVES
from ..rounding.arithmetic import FORMATS

ROUNDINGS = 4
"""Units of the last place within which two numbers are taken for roundings of the same."""
SIMPLE = 10_000
"""Numerator times denominator, at most, of a fraction that 24 bits do not agree with by chance."""
DIGITS = 4
"""Of a decimal for which that holds."""


def close_in(dtype: str) -> float:
    """The relative distance within which two numbers of a format are taken for roundings of the same.

    In 16 bits they are neighbours at most: what is computed before is wider.
    """
    return 2 * (1 if dtype in HALVES else ROUNDINGS) * FORMATS[dtype].unit


def held(array: np.ndarray, dtype: str) -> str:
    """The format of a tensor's numbers: float32 for float64 that all are, as a cast leaves them."""
    if dtype != "float64":
        return dtype
    with np.errstate(all="ignore"):
        return "float32" if np.array_equal(array.astype(np.float32), array) else dtype


def simple(value: float, unit: float) -> Fraction | None:
    """The simple number that a float is a rounding of, if there is one.

    Args:
        value: not 0.
        unit: within which relative distance.
    """
    exact = Fraction(abs(value))
    width = Fraction(unit) * exact
    found = _simplest(exact - width, exact + width)
    if found.numerator * found.denominator > SIMPLE:
        found = Fraction(f"{abs(value):.{DIGITS}g}")
    return (found if value > 0 else -found) if abs(found - exact) <= width else None


def simply(eta: float) -> float:
    """A step size as the simple number that float32 has rounded, if it is one."""
    nearby = simple(eta, 2.0**-23) if eta else None
    return float(nearby) if nearby else eta


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The fraction with the least denominator in [low, high], 0 < low."""
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    below = whole - 1
    return below + 1 / _simplest(1 / (high - below), 1 / (low - below))


def number(exact: Fraction | None, value: float) -> str:
    """A number in words: as the simple number that it is, if it is one."""
    return str(exact) if exact is not None else f"{value:.9g}"
