"""Certified enclosures: every number is a ball of python-flint's `arb` that holds the true one.

Balls are another arithmetic than Fractions and sympy's roots, and take any root: an independent check of bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .field import Field
from .scalar import DivisionByZero, as_fraction


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

    def exp(self, scalar: Any) -> Any:
        """A ball that holds the exponential."""
        return scalar.exp()

    def log(self, scalar: Any) -> Any:
        """A ball that holds the natural logarithm."""
        return scalar.log()

    def sin(self, scalar: Any) -> Any:
        """A ball that holds the sine."""
        return scalar.sin()

    def cos(self, scalar: Any) -> Any:
        """A ball that holds the cosine."""
        return scalar.cos()

    def tanh(self, scalar: Any) -> Any:
        """A ball that holds the hyperbolic tangent."""
        return scalar.tanh()

    def erf(self, scalar: Any) -> Any:
        """A ball that holds the error function."""
        return scalar.erf()

    def tan(self, scalar: Any) -> Any:
        """A ball that holds the tangent."""
        return scalar.tan()

    def asin(self, scalar: Any) -> Any:
        """A ball that holds the arcsine."""
        return scalar.asin()

    def acos(self, scalar: Any) -> Any:
        """A ball that holds the arccosine."""
        return scalar.acos()

    def atan(self, scalar: Any) -> Any:
        """A ball that holds the arctangent."""
        return scalar.atan()

    def asinh(self, scalar: Any) -> Any:
        """A ball that holds the inverse of sinh."""
        return scalar.asinh()

    def acosh(self, scalar: Any) -> Any:
        """A ball that holds the inverse of cosh."""
        return scalar.acosh()

    def atanh(self, scalar: Any) -> Any:
        """A ball that holds the inverse of tanh."""
        return scalar.atanh()

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
