"""Signs of exact numbers: Fractions, and sympy's constants where there are roots, exponentials or logarithms.

Constants are enclosed in balls: sympy's `evalf` takes as many digits as cancel, a billion for 1 − 1/(1 + exp(−10⁹)).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

SMALLEST = Fraction(1, 10**30)
"""What is nearer to 0 is not distinguished from 0."""
PRECISIONS = (256, 1024, 4096)
"""Bits of the balls, one after the other until the question is decided."""

FUNCTIONS = ("exp", "log", "sin", "cos", "tanh", "erf", "abs")
"""sympy's functions that balls have, by their names."""


def is_nonzero(number: Any) -> bool:
    """Whether a Fraction or a sympy constant is certainly not 0."""
    if _is_rational(number):
        return bool(number != 0)
    return _exceeds(abs, number)


def exceeds(number: Any) -> bool:
    """Whether a Fraction or a sympy constant is certainly positive."""
    if _is_rational(number):
        return bool(number > 0)
    return _exceeds(lambda ball: ball, number)


def _is_rational(number: Any) -> bool:
    return isinstance(number, (int, Fraction)) or getattr(number, "is_Rational", True)  # flint's


def _exceeds(of: Any, number: Any) -> bool:
    import flint

    smallest = flint.fmpq(SMALLEST.numerator, SMALLEST.denominator)
    for precision in PRECISIONS:
        with flint.ctx.workprec(precision):
            ball = of(enclosure(number))
            if ball > flint.arb(smallest):
                return True
            if ball < flint.arb(smallest):
                return False
    return False


def enclosure(number: Any) -> Any:
    """A ball of python-flint, at its present precision, that holds one of sympy's real constants.

    A ball without end where it is not a real number.
    """
    import flint
    import sympy

    if isinstance(number, sympy.Rational):
        return flint.arb(flint.fmpq(int(number.p), int(number.q)))
    if isinstance(number, sympy.Pow) and isinstance(number.exp, sympy.Rational):
        base, power = enclosure(number.base), number.exp
        root = base if power.q == 1 else base.root(int(power.q))
        return root ** int(power.p)
    parts = [enclosure(part) for part in number.args]
    if isinstance(number, sympy.Add):
        return sum(parts[1:], parts[0])
    if isinstance(number, sympy.Mul):
        product = flint.arb(1)
        for part in parts:
            product *= part
        return product
    name = type(number).__name__.lower()
    if name in FUNCTIONS:
        return abs(*parts) if name == "abs" else getattr(parts[0], name)()
    root = _by_interval(number, flint.ctx.prec) if isinstance(number, sympy.CRootOf) else None
    if root is not None:
        return root
    value = _root(number)
    if not value.is_Float:
        return flint.arb("nan")
    return flint.arb(str(value)) * flint.arb(1, 2.0**-200)


@lru_cache(maxsize=10_000)
def _by_interval(number: Any, precision: int) -> Any:
    """flint's ball around a real root that sympy has isolated: the only one of the roots that meets the interval.

    None if there is no such interval, or if several balls meet it. Conditions need the same one again and again.
    """
    import flint

    if not number.is_real:
        return None
    interval = number._get_interval()
    low, high = (flint.fmpq(int(e.numerator), int(e.denominator)) for e in (interval.a, interval.b))
    coefficients = [int(c) for c in reversed(number.poly.all_coeffs())]
    with flint.ctx.workprec(precision):
        pairs: Any = flint.fmpz_poly(coefficients).complex_roots()  # each with how often it is one
    roots = [root.real for root, _ in pairs if root.imag == 0]
    found = [root for root in roots if not (root < low or root > high)]
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=10_000)
def _root(number: Any) -> Any:
    """What is neither a sum nor a product nor a known function, in digits."""
    return number.evalf(PRECISIONS[0] // 3)
