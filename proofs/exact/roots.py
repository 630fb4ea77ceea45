"""Real numbers with roots in them: Fractions where they are rational, sympy's constants where they are not.

A body's arithmetic stays that of Fractions up to its norms, many times faster than sympy's own.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from ..language.numbers import exceeds
from .entries import arranged
from .polynomials import RationalField, rational_root
from .scalar import DivisionByZero, NotPolynomial, as_fraction


class RootsField(RationalField):
    """Plain numbers and their roots, for exact evaluation at a point."""

    remembers = True

    def number(self, value: Any) -> Any:
        """The given number, as a Fraction unless it is a constant of sympy's."""
        return value if _is_sympy(value) else as_fraction(value)

    def sqrt(self, scalar: Any) -> Any:
        """The square root, as a Fraction where it is rational."""
        import sympy

        if not _is_sympy(scalar):
            root = rational_root(scalar)
            if root is not None:
                return root
            scalar = sympy.Rational(scalar.numerator, scalar.denominator)
        if exceeds(-scalar):
            raise DivisionByZero(f"sqrt({scalar}) is not a real number")
        return _plain(sympy.sqrt(scalar))

    def largest_eigenvalue(self, gram: np.ndarray) -> Any:
        """The largest eigenvalue of a Gram matrix."""
        return _plain(largest_root(gram))


class FlintRootsField(RootsField):
    """The same on flint's rational numbers, ten times as fast; `as_fractions` leads back from them."""

    def __init__(self) -> None:
        import flint

        self._rational = flint.fmpq

    def number(self, value: Any) -> Any:
        """The given number as flint's rational, unless it is a constant of sympy's."""
        if type(value) is int:
            return self._rational(value)
        if isinstance(value, self._rational) or _is_sympy(value):
            return value
        exact = value if type(value) is Fraction else as_fraction(value)
        return self._rational(exact.numerator, exact.denominator)

    def sqrt(self, scalar: Any) -> Any:
        """The square root, as flint's rational where it is rational."""
        _teach_sympy()
        return self.number(super().sqrt(_as_fraction(scalar)))

    def largest_eigenvalue(self, gram: np.ndarray) -> Any:
        """The largest eigenvalue of a Gram matrix."""
        _teach_sympy()
        return self.number(super().largest_eigenvalue(gram))


@cache
def _teach_sympy() -> None:
    """From now on sympy's constants take flint's rational numbers as operands."""
    import flint
    import sympy
    from sympy.core.sympify import converter

    converter[flint.fmpq] = lambda number: sympy.Rational(int(number.p), int(number.q))


def as_fractions(entries: np.ndarray) -> np.ndarray:
    """The array with flint's rational numbers as Fractions."""
    return arranged(map(_as_fraction, entries.flat), entries.shape)


def _as_fraction(number: Any) -> Any:
    import flint

    return Fraction(int(number.p), int(number.q)) if isinstance(number, flint.fmpq) else number


def largest_root(gram: np.ndarray) -> Any:
    """The largest eigenvalue of a symmetric matrix of rational numbers, as sympy's exact number.

    Raises:
        NotPolynomial: if some entry is not rational.
    """
    import sympy

    entries = [sympy.sympify(e) for e in gram.flat]
    if not all(e.is_Rational for e in entries):
        raise NotPolynomial("the largest singular value of a matrix that is not rational")
    matrix = sympy.Matrix(*gram.shape, entries)
    return sympy.Poly(matrix.charpoly().as_expr()).real_roots()[-1]


def _plain(number: Any) -> Any:
    """A rational number as a Fraction."""
    return Fraction(int(number.p), int(number.q)) if number.is_Rational else number


def _is_sympy(value: Any) -> bool:
    return hasattr(value, "free_symbols")
