"""Fields of symbols: fractions of polynomials over Q, in python-flint or in sympy's polynomial rings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .field import Field
from .products import product_of_fractions
from .scalar import NotPolynomial, Ratio, as_fraction


class PolynomialField(Field):
    """Fractions of polynomials over Q in a ring of some library."""

    _constant: Callable[[Fraction], Any]
    """A number as a polynomial of the ring."""

    def __init__(self, symbols: Sequence[str], generators: Sequence[Any]) -> None:
        self.generators = {n: Ratio(g) for n, g in zip(symbols, generators, strict=False)}
        self._numbers: dict[Any, Ratio] = {}

    def number(self, value: Any) -> Ratio:
        """The given number as a fraction of constant polynomials."""
        if isinstance(value, Ratio):
            return value
        known = self._numbers.get(value)
        if known is None:
            exact = as_fraction(value)
            known = self._numbers[exact] = Ratio(self._constant(exact))
        return known


class FlintField(PolynomialField):
    """Fractions of `fmpq_mpoly`: the fast engine."""

    name = "flint"

    def __init__(self, symbols: Sequence[str]) -> None:
        import flint

        names = tuple(name.encode("ascii", "backslashreplace").decode() for name in symbols)
        context = flint.fmpq_mpoly_ctx.get(names or ("unused",), flint.Ordering.degrevlex)
        super().__init__(symbols, context.gens())
        self._constant = lambda exact: context.constant(flint.fmpq(*exact.as_integer_ratio()))


class SympyField(PolynomialField):
    """Fractions in `sympy.polys.rings.ring` over QQ: the independent engine for polynomial claims."""

    name = "sympy"

    def __init__(self, symbols: Sequence[str]) -> None:
        from sympy import QQ
        from sympy.polys.rings import PolyRing

        ring = PolyRing(list(symbols) or ["unused"], QQ)
        super().__init__(symbols, ring.gens)
        self._constant = lambda exact: ring(QQ(*exact.as_integer_ratio()))


class RationalField(Field):
    """Plain numbers: `fractions.Fraction`, for exact evaluation at a point."""

    name = "rational"

    def number(self, value: Any) -> Any:
        """The given number as a Fraction."""
        return as_fraction(value)

    def matmul(self, left: np.ndarray, right: np.ndarray) -> Any:
        """The product of two matrices of Fractions."""
        return product_of_fractions(left, right)

    def abs(self, scalar: Any) -> Any:
        """The absolute value."""
        return abs(scalar)

    def sqrt(self, scalar: Any) -> Any:
        """The square root, where it is rational."""
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
