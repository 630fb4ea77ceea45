"""`Field`: what a field of exact scalars provides, and what most fields have in common."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

import numpy as np

from .scalar import NotPolynomial, Ratio

AT_ONE_PLACE = {"exp": (0, 1), "log": (1, 0), "abs": (0, 0), "sqrt": (0, 0)}
"""Functions that are no polynomials, with the place at which every field has their value, and the value."""


class Field(Protocol):
    """Scalars that compute with + − · / among themselves, and how numbers and functions are written in them.

    A field that inherits from this class has exp, log, √ and | | where they are rational at every size: exp(0), log(1),
    √0 and |0|. `tanh`, `sin`, `cos` and `erf` are optional.
    """

    name: str
    generators: Mapping[str, Any] = MappingProxyType({})
    """Its symbols by their names; none where scalars are numbers."""
    meter: Any = None
    """Counts operations, if somebody wants them counted (`residues.Meter`)."""
    compared: bool = False
    """Whether its scalars were compared: then what holds at numbers above 0 may be false at others."""
    undecided: bool = False
    """Whether balls that overlap were compared: the result is a ball of both answers."""
    remembers: ClassVar[bool] = False
    """Whether singular values are kept in mind: conditions ask for the same ones again and again."""
    differentiate: Any = None
    """(loss, at) -> ∇loss(at), if the field differentiates by itself."""

    def __init__(self) -> None:
        """Nothing; in its stead a protocol would change each class at its first use, and a check must change none."""

    def number(self, value: Any) -> Any:
        """A whole number, a Fraction or one of its own scalars as a scalar.

        Raises:
            TypeError: for a float.
        """
        raise NotImplementedError

    def as_constant(self, scalar: Any) -> Any:
        """The number that a scalar is, or what else can be compared; None if it has a symbol in it."""
        return as_constant(scalar)

    def exp(self, scalar: Any) -> Any:
        """The exponential, where the field has its value."""
        return self._at("exp", scalar)

    def log(self, scalar: Any) -> Any:
        """The natural logarithm, where the field has its value."""
        return self._at("log", scalar)

    def abs(self, scalar: Any) -> Any:
        """The absolute value, where the field has its value."""
        return self._at("abs", scalar)

    def sqrt(self, scalar: Any) -> Any:
        """The square root, where the field has its value."""
        return self._at("sqrt", scalar)

    def largest_eigenvalue(self, gram: np.ndarray) -> Any:
        """The largest eigenvalue of a symmetric matrix of scalars."""
        raise NotPolynomial("the largest singular value")

    def matmul(self, left: np.ndarray, right: np.ndarray) -> Any:
        """The product of two matrices of scalars."""
        return np.matmul(left, right)

    def _at(self, function: str, scalar: Any) -> Any:
        """The value of a function at the only place where it has one here."""
        place, value = AT_ONE_PLACE[function]
        if scalar != self.number(place) and scalar != place:
            raise NotPolynomial(function)
        return self.number(value)


def as_constant(scalar: Any) -> Fraction | None:
    """The number that a scalar is, or None if it has a symbol in it."""
    if isinstance(scalar, Ratio):
        parts = [Fraction(1) if p is None else _number(str(p)) for p in (scalar.num, scalar.den)]
        return None if None in parts else parts[0] / parts[1]  # type: ignore[operator]
    return _number(str(scalar))


def _number(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except ValueError:
        return None
