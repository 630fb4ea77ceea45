"""Powers whose exponents are indices, such as `gamma ** jnp.arange(T)`, and exp of sums of logarithms: products."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ...kernel.index import Index, position, variable
from ...kernel.term import Factor, Monomial, Term, as_index_number, as_term, body, function_of, made
from ..array import KernelArray, comprehension, holds, reciprocal
from ..products import power, running_product
from ..questions import Unreadable
from ..session import current
from ..simplifying import simplified
from ..terms import indicator, share
from .values import Either, Integers, reals, shared

NEGATIVE = "where the exponent of a power is negative, its base is not 0"


def powers(base: KernelArray, exponent: Any) -> KernelArray:
    """base^e entry by entry, e an index: 1 for e = 0, whatever the base.

    Where e < 0 the base is not 0. If e has both signs, nothing but that it is a number is known of the power where
    e < 0: a mask leaves it out, as in `where(n >= m, gamma ** (n - m), 0)`.

    Raises:
        Unreadable: if the exponents are not seen to be indices.
    """
    dims, (of, to) = shared(base, exponent)

    def at(*place: Index) -> Term:
        if isinstance(to, Either):
            cases = [indicator(guard) * to_index(place, e) for guard, e in to.cases(place)]
            return sum(cases, as_term(0))
        return to_index(
            place, to.at(place) if isinstance(to, Integers) else _whole(reals(to), place)
        )

    def to_index(place: tuple[Index, ...], e: Index) -> Term:
        if holds(e):
            return power(of.entry(place), e)
        current().taken.setdefault(NEGATIVE)
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


def of_logarithms(of: KernelArray) -> tuple[KernelArray, KernelArray] | None:
    """exp(Σ_{lo≤r<hi} ± log z[r] + A) as Π_{lo≤r<hi} z[r]^(±1) and A, where lo ≤ hi; None if no such sum is seen.

    log z is a number where z > 0 only, and then exp(log z) = z.
    """
    kept: dict[Monomial, Fraction] = {}
    product = None
    for m, c in of.term.parts.items():
        one = _product(m) if abs(c) == 1 else None
        if one is None:
            kept[m] = c
            continue
        one = one if c == 1 else reciprocal(one)
        product = one if product is None else product * one
    if product is None:
        return None
    rest = Term(kept, of.term.scope)
    return tuple(KernelArray(of.dims, of.at, share(one)) for one in (product, rest))  # type: ignore[return-value]


def _product(m: Monomial) -> Term | None:
    """Π z[r] for Σ log z[r] over one index between two ends, or z for log z."""
    if len(m.factors) != 1 or function_of(m.factors[0]) != "log" or m.bound > 1:
        return None
    if not m.bound:
        return None if m.guards else _inside(m.factors[0])
    fences = {g.coefficient(-1): g for g in m.guards}
    if len(m.guards) != 2 or fences.keys() != {1, -1}:
        return None
    low, high = variable(-1) - fences[1], fences[-1] + variable(-1) + 1
    if not holds(high - low):
        return None
    r = position("r", low, high)
    return running_product(_inside(m.factors[0].substitute({-1: r})), r, low, high)


def _inside(f: Factor) -> Term:
    """What the logarithm is taken of."""
    pairs = body(f, 0)
    return made(pairs, frozenset(v for m, _ in pairs for v in m.variables() if v > 0))
