"""Fields of symbols: fractions of polynomials over Q, in python-flint or in sympy's polynomial rings."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .field import Field
from .products import of_fractions
from .scalar import NotPolynomial, Ratio, as_fraction


class FlintField(Field):
    """Fractions of `fmpq_mpoly`: the fast engine."""

    name = "flint"

    def __init__(self, symbols: Sequence[str]) -> None:
        import flint

        self._rational = flint.fmpq
        context = flint.fmpq_mpoly_ctx.get(tuple(symbols) or ("unused",), flint.Ordering.degrevlex)
        self._constant = context.constant
        self.generators = {n: Ratio(g) for n, g in zip(symbols, context.gens(), strict=False)}
        self._numbers: dict[Any, Ratio] = {}

    def number(self, value: Any) -> Ratio:
        if isinstance(value, Ratio):
            return value
        known = self._numbers.get(value)
        if known is None:
            exact = as_fraction(value)
            known = Ratio(self._constant(self._rational(exact.numerator, exact.denominator)))
            self._numbers[exact] = known
        return known


class SympyField(Field):
    """Fractions in `sympy.polys.rings.ring` over QQ: the independent engine for polynomial claims."""

    name = "sympy"

    def __init__(self, symbols: Sequence[str]) -> None:
        from sympy import QQ
        from sympy.polys.rings import PolyRing

        ring = PolyRing(list(symbols) or ["unused"], QQ)
        self._ring, self._rational = ring, QQ
        self.generators = {n: Ratio(g) for n, g in zip(symbols, ring.gens, strict=False)}

    def number(self, value: Any) -> Ratio:
        if isinstance(value, Ratio):
            return value
        exact = as_fraction(value)
        return Ratio(self._ring(self._rational(exact.numerator, exact.denominator)))


class RationalField(Field):
    """Plain numbers: `fractions.Fraction`, for exact evaluation at a point."""

    name = "rational"

    def number(self, value: Any) -> Any:
        return as_fraction(value)

    def matmul(self, left: np.ndarray, right: np.ndarray) -> Any:
        return of_fractions(left, right)

    def abs(self, scalar: Any) -> Any:
        return abs(scalar)

    def sqrt(self, scalar: Any) -> Any:
        root = rational_root(scalar)
        if root is None:
            raise NotPolynomial("sqrt")
        return root


def rational_root(value: Fraction) -> Fraction | None:
    """√value if it is rational, else None."""
    from math import isqrt

    if value < 0:
        return None
    root = Fraction(isqrt(value.numerator), isqrt(value.denominator))
    return root if root * root == value else None
