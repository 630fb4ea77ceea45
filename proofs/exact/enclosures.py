"""Certified enclosures: every number is a ball of python-flint's `arb` that holds the true one.

Balls are another arithmetic than Fractions and sympy's roots, and take any root: an independent check of bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .field import Field
from .scalar import DivisionByZero, as_fraction


def _ball(name: str, what: str) -> Any:
    """The method of a field that flint has for balls under the same name."""

    def method(self: Any, scalar: Any) -> Any:
        return getattr(scalar, name)()

    method.__name__, method.__doc__ = name, f"A ball that holds {what}."
    return method


class ArbField(Field):
    """Scalars are balls, at the working precision of `flint.ctx`; a ball without end has no value."""

    name = "arb"

    def __init__(self, meter: Any = None) -> None:
        import flint

        self.meter = meter
        self._flint = flint

    def number(self, value: Any) -> Any:
        """A ball that holds the given number."""
        if isinstance(value, self._flint.arb):
            return value
        exact = as_fraction(value)
        return self._flint.arb(self._flint.fmpq(exact.numerator, exact.denominator))

    def as_constant(self, scalar: Any) -> Any:
        """The ball itself: balls are compared where they do not overlap."""
        return scalar

    exp = _ball("exp", "the exponential")
    log = _ball("log", "the natural logarithm")
    sin = _ball("sin", "the sine")
    cos = _ball("cos", "the cosine")
    tanh = _ball("tanh", "the hyperbolic tangent")
    erf = _ball("erf", "the error function")
    asin = _ball("asin", "the arcsine")
    acos = _ball("acos", "the arccosine")
    atan = _ball("atan", "the arctangent")
    asinh = _ball("asinh", "the inverse of sinh")
    acosh = _ball("acosh", "the inverse of cosh")
    atanh = _ball("atanh", "the inverse of tanh")

    def abs(self, scalar: Any) -> Any:
        """A ball that holds the absolute value."""
        return abs(scalar)

    def sqrt(self, scalar: Any) -> Any:
        """√ of the part of the ball that is not negative: what the root is of is ≥ 0, however wide its ball."""
        if scalar < 0:
            raise DivisionByZero(f"sqrt({scalar}) is not a real number")
        return scalar.nonnegative_part().sqrt()

    def largest_eigenvalue(self, gram: np.ndarray) -> Any:
        """A ball that holds the largest eigenvalue of a Gram matrix."""
        rows, columns = gram.shape
        matrix = self._flint.arb_mat(rows, columns, list(gram.flat))
        try:
            first, *others = (value.real for value in matrix.eig(multiple=True))
        except ValueError as error:  # eigenvalues that the balls do not separate
            raise DivisionByZero(f"an eigenvalue without an enclosure: {error}") from error
        for other in others:
            first = first.max(other)
        return first
