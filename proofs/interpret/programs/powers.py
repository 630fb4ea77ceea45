"""Powers whose exponents are indices, such as `gamma ** jnp.arange(T)`: products of equal factors."""

from __future__ import annotations

from typing import Any

from ...kernel.index import Index
from ...kernel.term import Term, as_index_number
from ..array import KernelArray, comprehension, holds, reciprocal
from ..products import power
from ..questions import Unreadable
from ..session import current
from ..simplifying import simplified
from .values import Integers, reals, shared

NEGATIVE = "a power is 1/(base · … · base) where its exponent is negative: no such base is 0"


def powers(base: KernelArray, exponent: Any) -> KernelArray:
    """base^e entry by entry, e an index: 1 for e = 0, whatever the base.

    Where e < 0 the base is not 0. If e has both signs, nothing but that it is a number is known of the power where
    e < 0: a mask leaves it out, as in `where(n >= m, gamma ** (n - m), 0)`.

    Raises:
        Unreadable: if the exponents are not seen to be indices.
    """
    dims, (of, to) = shared(base, exponent)

    def at(*place: Index) -> Term:
        e = to.at(place) if isinstance(to, Integers) else _whole(reals(to), place)
        if holds(e):
            return power(of.entry(place), e)
        current().fits.setdefault(NEGATIVE)
        if holds(-e):
            return reciprocal(power(of.entry(place), -e))
        return power(of.entry(place), e)

    return comprehension(dims, at)


def _whole(numbers: KernelArray, place: tuple[Index, ...]) -> Index:
    """The index that a real number is."""
    term = simplified(numbers.entry(place))
    found = as_index_number(term)
    if found is not None and found[1].denominator == 1:
        return found[0] * int(found[1])
    raise Unreadable("a power with an exponent that is not a whole number")
