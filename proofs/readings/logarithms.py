"""exp of sums of logarithms: products."""

from __future__ import annotations

from fractions import Fraction

from ..interpret.array import KernelArray, holds, reciprocal
from ..interpret.products import running_product
from ..interpret.terms import share
from ..kernel.index import position, variable
from ..kernel.term import Factor, Monomial, Term, body, function_of, made


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
