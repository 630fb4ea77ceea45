"""sympy expressions as scalars: for claims with exp and log, differentiated by sympy itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import lcm
from typing import Any

import numpy as np

from ..language.numbers import exceeds
from .entries import arranged
from .field import Field
from .roots import largest_root
from .scalar import DivisionByZero, as_fraction


class ExpressionField(Field):
    """Scalars are sympy expressions in real symbols; equality is decided by `is_zero`."""

    name = "sympy"

    def __init__(self, symbols: Sequence[str]) -> None:
        import sympy

        self._sympy = sympy
        self.generators = {name: sympy.Symbol(name, real=True) for name in symbols}

    def number(self, value: Any) -> Any:
        """The given number as a sympy expression."""
        if isinstance(value, self._sympy.Expr):
            return value
        exact = as_fraction(value)
        return self._sympy.Rational(exact.numerator, exact.denominator)

    def exp(self, scalar: Any) -> Any:
        """The exponential, as an expression."""
        return self._sympy.exp(scalar)

    def log(self, scalar: Any) -> Any:
        """The natural logarithm; of a number that is not positive there is none."""
        if scalar.is_number and not exceeds(scalar):
            raise DivisionByZero(f"log({scalar}) is not a real number")
        return self._sympy.log(scalar)

    def abs(self, scalar: Any) -> Any:
        """The absolute value, as an expression."""
        return self._sympy.Abs(scalar)

    def sqrt(self, scalar: Any) -> Any:
        """The square root; of a negative number there is none."""
        if exceeds(-scalar) if scalar.is_number else scalar.is_negative:
            raise DivisionByZero(f"sqrt({scalar}) is not a real number")
        return self._sympy.sqrt(scalar)

    def largest_eigenvalue(self, gram: np.ndarray) -> Any:
        """The largest eigenvalue of a Gram matrix."""
        return largest_root(gram)

    def differentiate(self, loss: Callable[[np.ndarray], Any], at: np.ndarray) -> np.ndarray:
        """∇loss at `at` by `sympy.diff` with respect to fresh symbols, which are then replaced."""
        values = {self._sympy.Dummy(real=True): entry for entry in at.flat}
        value = loss(arranged(values, at.shape))
        slopes = (self._sympy.diff(value, fresh).xreplace(values) for fresh in values)
        return arranged(slopes, at.shape)


def is_zero(expression: Any) -> bool:
    """Whether an expression vanishes identically once its exponentials are independent symbols.

    exp(Σ c_k m_k) becomes Π E_k^{c_k} with one symbol for each monomial m_k, a logarithm (with what is in it) one
    symbol for each argument. True is a proof; False says only that these rules do not show it.

    Raises:
        DivisionByZero: if the expression has no value at all.
    """
    import sympy

    expression = sympy.sympify(expression)
    if expression.has(sympy.zoo, sympy.nan, sympy.oo):
        raise DivisionByZero("division by an expression that is identically zero")
    logs = {atom: sympy.Dummy() for atom in expression.atoms(sympy.log)}
    expression = expression.xreplace(logs)
    terms = {
        atom: sympy.expand(atom.args[0]).as_coefficients_dict()
        for atom in expression.atoms(sympy.exp)
    }
    scales: dict[Any, int] = {}
    for parts in terms.values():
        for monomial, coefficient in parts.items():
            scales[monomial] = lcm(scales.get(monomial, 1), int(coefficient.q))
    symbols = {monomial: sympy.Dummy() for monomial in scales}
    products = {
        atom: sympy.prod(symbols[m] ** (c * scales[m]) for m, c in parts.items())
        for atom, parts in terms.items()
    }
    numerator, _ = sympy.fraction(sympy.together(expression.xreplace(products)))
    return _vanishes(numerator)


def _vanishes(numerator: Any) -> bool:
    """Whether an expression is 0 once it is multiplied out: in a ring, if it is a polynomial in its symbols."""
    import sympy
    from sympy.polys.rings import PolyRing

    symbols = list(numerator.free_symbols)
    try:
        return not PolyRing(symbols, sympy.QQ).from_expr(numerator)
    except ValueError:  # no polynomial: roots and functions are in it
        return sympy.expand(numerator) == 0
