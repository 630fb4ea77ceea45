"""Polynomials in the data as coefficients by monomials, and fractions in numbers: what `limits` computes with."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ..exact.scalar import Ratio

Monomial = tuple[int, ...]
"""The powers of the data."""
Coefficients = Mapping[Monomial, Any]
"""Polynomials of flint, by monomial; those that are 0 are left out."""


def sum_of(one: Coefficients, other: Coefficients) -> dict[Monomial, Any]:
    """The sum of two polynomials."""
    total = dict(one)
    for m, c in other.items():
        total[m] = total[m] + c if m in total else c
    return {m: c for m, c in total.items() if c}


def product_of(one: Coefficients, other: Coefficients) -> dict[Monomial, Any]:
    """Their product."""
    found: dict[Monomial, Any] = {}
    for m, c in one.items():
        for n, e in other.items():
            found = sum_of(found, {tuple(i + k for i, k in zip(m, n, strict=True)): c * e})
    return found


def lowest(fraction: Ratio) -> Ratio:
    """In lowest terms."""
    if fraction.den is None:
        return fraction
    common = fraction.num.gcd(fraction.den)
    num, den = fraction.num // common, fraction.den // common
    return Ratio(num / den.leading_coefficient()) if den.is_constant() else Ratio(num, den)


def at_one(number: Ratio) -> str:
    """Where all the numbers are 1."""
    parts = [number.num, *([] if number.den is None else [number.den])]
    total = [sum((Fraction(str(c)) for c in p.coeffs()), Fraction(0)) for p in parts]
    return str(total[0] / (total[1] if total[1:] else 1))


def as_text(number: Ratio) -> str:
    """As flint prints it, in lowest terms."""
    return str(lowest(number))
