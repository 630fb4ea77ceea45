"""Sigmoids as values of exp: σ(z) = exp(z) exp(−softplus(z)), so that their products are sums in an exponent.

Then 1 = (1 + exp(z)) exp(−softplus(z)) is what is known of them. Where monomials differ in such factors only, those
with fewer values of exp(−softplus(z)) are multiplied by that, until all have as many: then equal sums look the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from ..kernel.laws import SOFTPLUS
from ..kernel.rules import Rewriting
from ..kernel.term import Factor, Monomial, body, function_of
from .exponents import exponential, is_exponential
from .laws import power
from .session import current

MOST = 3
"""So often is a monomial multiplied at most by what is 1."""


class _Sigmoid(NamedTuple):
    """How often exp(−softplus(z)) is a factor of a monomial."""

    softplus: Monomial
    times: Fraction
    rest: tuple[Factor, ...]
    """The other factors, without values of exp of multiples of the terms of z."""


def to_one_degree(work: Rewriting, k: int) -> bool:
    """Multiply a monomial by (1 + exp(z)) exp(−softplus(z)) where another has more of the last."""
    session = current()
    if not session.in_exponents:
        return False
    m, _ = work.parts[k]
    for n, _ in work.parts.values():
        if n == m or n.bound != m.bound:
            continue
        for other in _sigmoids(n):
            mine = _degree(m, other.softplus)
            gap = other.times - mine.times
            if gap.denominator == 1 and 0 < gap <= MOST and mine.rest == other.rest:
                one = [(other.softplus, Fraction(sign)) for sign in (1, -1)]
                factors = [exponential([pair], m.bound) for pair in one]
                before = set(work.parts)
                work.exponents(k, [], factors)
                return any(power(work, new, session, late=True) for new in set(work.parts) - before)
    return False


def _sigmoids(m: Monomial) -> Iterator[_Sigmoid]:
    for f in m.factors:
        inside = body(f, m.bound) if is_exponential(f) else []
        for n, c in inside if len(inside) == 1 else ():
            if c < 0 and _is_softplus(n, m.bound):
                yield _degree(m, n)


def _is_softplus(n: Monomial, bound: int) -> bool:
    plain = n.bound == bound and not n.guards and len(n.factors) == 1
    return plain and function_of(n.factors[0]) == SOFTPLUS


def _degree(m: Monomial, softplus: Monomial) -> _Sigmoid:
    (f,) = softplus.factors
    terms = {n for n, _ in body(f, m.bound)}
    times, rest = Fraction(0), list[Factor]()
    for g in m.factors:
        inside = body(g, m.bound) if is_exponential(g) else []
        if len(inside) != 1 or inside[0][0] not in (softplus, *terms):
            rest.append(g)
        elif inside[0][0] == softplus:
            times -= inside[0][1]
    return _Sigmoid(softplus, times, tuple(rest))
