"""Fields of symbols: fractions of polynomials over Q, in python-flint or in sympy's polynomial rings."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from .products import product_of_fractions
from .scalar import NotPolynomial, Ratio, as_fraction


class _PolynomialField:
    """What fractions of polynomials have no room for."""

    meter = None

    def exp(self, scalar: Ratio) -> Ratio:
        if scalar:
            raise NotPolynomial("exp")
        return self.number(1)

    def log(self, scalar: Ratio) -> Ratio:
        if scalar != self.number(1):
            raise NotPolynomial("log")
        return self.number(0)

    def abs(self, scalar: Ratio) -> Ratio:
        if scalar:
            raise NotPolynomial("abs")
        return scalar

    def sqrt(self, scalar: Ratio) -> Ratio:
        if scalar:
            raise NotPolynomial("sqrt")
        return scalar

    def largest_eigenvalue(self, gram: Any) -> Ratio:
        raise NotPolynomial("the largest singular value")

    def number(self, value: Any) -> Ratio:
        raise NotImplementedError


class FlintField(_PolynomialField):
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


class SympyField(_PolynomialField):
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


class RationalField:
    """Plain numbers: `fractions.Fraction`, for exact evaluation at a point."""

    name = "rational"
    meter = None
    matmul = staticmethod(product_of_fractions)

    def number(self, value: Any) -> Fraction:
        return as_fraction(value)

    def exp(self, scalar: Fraction) -> Fraction:
        if scalar == 0:
            return Fraction(1)
        raise NotPolynomial("exp")

    def log(self, scalar: Fraction) -> Fraction:
        if scalar == 1:
            return Fraction(0)
        raise NotPolynomial("log")

    def abs(self, scalar: Fraction) -> Fraction:
        return abs(scalar)

    def sqrt(self, scalar: Fraction) -> Fraction:
        root = rational_root(scalar)
        if root is None:
            raise NotPolynomial("sqrt")
        return root

    def largest_eigenvalue(self, gram: Any) -> Fraction:
        raise NotPolynomial("the largest singular value")


def rational_root(value: Fraction) -> Fraction | None:
    """√value if it is rational, else None."""
    from math import isqrt

    if value < 0:
        return None
    root = Fraction(isqrt(value.numerator), isqrt(value.denominator))
    return root if root * root == value else None
