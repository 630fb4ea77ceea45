"""Signs of exact numbers: Fractions, and sympy's constants where there are roots, exponentials or logarithms."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

DIGITS = 60


def is_nonzero(number: Any) -> bool:
    """Whether a Fraction or a sympy constant is certainly not 0."""
    if isinstance(number, (int, Fraction)):
        return number != 0
    return abs(number.evalf(DIGITS)) > Fraction(1, 10 ** (DIGITS // 2))


def exceeds(number: Any) -> bool:
    """Whether a Fraction or a sympy constant is certainly positive."""
    if isinstance(number, (int, Fraction)):
        return number > 0
    return number.evalf(DIGITS) > Fraction(1, 10 ** (DIGITS // 2))
