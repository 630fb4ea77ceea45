"""Remainders of division towards 0, whose sign is the dividend's, as `lax.rem` has them.

Of whole numbers a remainder is read where it is linear in sizes and positions at all of them. Every other one is
b · fraction(a / b), for b ≠ 0: fraction(z) is z without its whole part, of which one law is used,
fraction(fraction(z)) = fraction(z), and for whole numbers a ≥ 0 and b ≥ 1 that a − b has the remainder that a ≥ b has.
"""

from __future__ import annotations

from typing import Any

from ...kernel.index import Index, position
from ...kernel.term import function_of
from .. import areas
from ..array import KernelArray, comprehension, function, holds
from ..questions import Unreadable
from ..simplifying import simplified
from ..terms import number
from .maxima import divided
from .values import Integers, reals, shared

FRACTION = "fraction"
"""The function z − trunc(z), by this name."""
MOST_TURNS = 64
"""How often a divisor is taken off a dividend."""


def remainder(reader: Any, params: Any, a: Any, b: Any) -> Any:
    """a rem b, as whole numbers or as real ones."""
    if isinstance(a, Integers) and isinstance(b, Integers):
        dims, (c, d) = shared(a, b)
        anywhere = [position("i", 0, length) for length in dims]
        if _linear(c.at(anywhere), d.at(anywhere)) is not None:
            return Integers(dims, lambda at: _seen(c.at(at), d.at(at)))
        smaller = comprehension(dims, lambda *at: number(_smaller(c.at(at), d.at(at))))
        return _of_reals(smaller, reals(d))
    if reader.makes_integers():
        raise Unreadable("a remainder of whole numbers that are not linear in sizes and positions")
    _, (c, d) = shared(reals(a), reals(b))
    return _of_reals(c, d)


def _linear(a: Index, b: Index) -> Index | None:
    """The remainder as an index, for a ≥ 0 and b ≥ 1."""
    if not holds(a, b - 1):
        return None
    found = areas.divided(a, b)
    return found[1] if found is not None and isinstance(found[1], Index) else None


def _seen(a: Index, b: Index) -> Index:
    found = _linear(a, b)
    if found is None:
        raise Unreadable("a remainder that depends on the place")
    return found


def _smaller(a: Index, b: Index) -> Index:
    """A dividend with the same remainder, as small as is seen."""
    for _ in range(MOST_TURNS if holds(b - 1) else 0):
        if not holds(a - b):
            break
        a = a - b
    return a


def _of_reals(a: KernelArray, b: KernelArray) -> KernelArray:
    quotient = divided(a, b)
    return b * (quotient if _is_fraction(quotient) else function(FRACTION, quotient))


def _is_fraction(array: KernelArray) -> bool:
    """Whether every entry is a value of `fraction`, which has no whole part."""
    ((m, c), *others) = simplified(array.term).parts.items() or [(None, 0)]
    if m is None or others or c != 1 or m.bound or m.guards or len(m.factors) != 1:
        return False
    return function_of(m.factors[0]) == FRACTION


__all__ = ["FRACTION", "remainder"]
