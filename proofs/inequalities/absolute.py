"""Absolute values in one form: |c X Y [g]| = |c| |X| |Y| [g], |X| = X if X ≥ 0, and X² = |X|².

Then what a claim writes and what bounds are made of are the same entries, and all even powers are ≥ 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import lcm

from ..kernel.errors import TooHard
from ..kernel.index import Index, facts, position
from ..kernel.inequalities import implied, regions
from ..kernel.term import (
    MONOMIALS,
    NUMBER,
    Factor,
    Monomial,
    Pairs,
    Term,
    apply,
    body,
    entry,
    function_of,
)
from .signs import ABS, Signs
from .statements import summed

REGIONS = 1000
"""In more cases than this no absolute value is opened."""


def absolute(f: Factor) -> Factor:
    """|f| as a factor."""
    if function_of(f) == ABS:
        return f
    return _of(lambda places: entry(f.name, *places), f.at)


def _of(inside: Callable[[Sequence[Index]], Term], at: Sequence[Index]) -> Factor:
    """|inside(at)|, a term in positions."""
    places = [position("p") for _ in at]
    ((m, _),) = apply(ABS, inside(places), places).parts.items()
    return Factor(m.factors[0].name, tuple(at))


def opened(term: Term, signs: Signs, squares: bool = True) -> Term:
    """The same term with absolute values of single entries only, and of sums that have no more to say.

    Args:
        term: the term.
        signs: what is ≥ 0.
        squares: whether X² is to be |X|².
    """
    rows = facts(term.scope)
    pairs = [(n, c * d) for m, c in term.parts.items() for n, d in _opened(m, rows, signs, squares)]
    return Term(summed(pairs), term.scope | signs.spoken)


def _opened(m: Monomial, rows: frozenset[Index], signs: Signs, squares: bool) -> Pairs:
    pairs: list[tuple[Monomial, Fraction]] = [(m._replace(factors=()), Fraction(1))]
    for f in m.factors:
        if function_of(f) == ABS:
            inside = _inside(f, m.bound, rows | m.guards, signs)
        else:
            inside = [(Monomial(m.bound, frozenset(), (f,)), Fraction(1))]
        if len(pairs) * len(inside) > MONOMIALS:
            raise TooHard(f"a term of more than {MONOMIALS} monomials")
        pairs = [(p.joined(n), c * d) for p, c in pairs for n, d in inside]
    return [(_even(p, rows, signs), c) for p, c in pairs] if squares else pairs


def _even(m: Monomial, rows: frozenset[Index], signs: Signs) -> Monomial:
    """X² as |X|², where X may be negative."""
    factors: list[Factor] = []
    for f, times in sorted(Counter(m.factors).items()):
        signed = times > 1 and not signs.factor(f, rows | m.guards)
        even = times - times % 2 if signed else 0
        factors += [absolute(f)] * even + [f] * (times - even)
    return m._replace(factors=tuple(sorted(factors)))


def _inside(
    f: Factor, bound: int, rows: frozenset[Index], signs: Signs
) -> list[tuple[Monomial, Fraction]]:
    """|T| in the regions that T's guards make, for a T without sums.

    Raises:
        TooHard: if there are too many.
    """
    inside = body(f, bound)
    if any(n.bound != bound for n, _ in inside):
        return [(Monomial(bound, frozenset(), (f,)), Fraction(1))]
    found = []
    shares = [(n.guards, (n._replace(guards=frozenset()), c)) for n, c in inside]
    for count, (region, live) in enumerate(regions(shares, rows)):
        if count == REGIONS:
            raise TooHard(f"an absolute value in more than {REGIONS} cases")
        parts = {n: c for n, c in summed(live).items() if c}
        for factors, c in _value(parts, rows.union(region), signs) if parts else ():
            found.append((Monomial(bound, frozenset(region), factors), c))
    return found


def _value(
    parts: Mapping[Monomial, Fraction], rows: frozenset[Index], signs: Signs
) -> list[tuple[tuple[Factor, ...], Fraction]]:
    """|T| where no guard is left."""
    for sign in (1, -1):
        if all(c * sign > 0 and signs.product(n, rows) for n, c in parts.items()):
            return [(n.factors, c * sign) for n, c in parts.items()]
    e, scale = _as_number(parts) or (Index(-1), Fraction(0))
    for size in (e, -e) if scale else ():
        if implied(size, rows):
            return [((Factor(NUMBER, (size,)),), scale)]
    if len(parts) == 1:
        ((n, c),) = parts.items()
        factors = [g if signs.factor(g, rows) else absolute(g) for g in n.factors]
        return [(tuple(sorted(factors)), abs(c))]
    ordered = sorted(parts.items(), key=lambda pair: [(g.name, len(g.at)) for g in pair[0].factors])
    at: list[Index] = []
    for n, _ in ordered:
        for g in n.factors:
            at += [e for e in g.at if e not in at]
    sign = 1 if ordered[-1][1] > 0 else -1  # |T| and |−T| are one

    def inside(places: Sequence[Index]) -> Term:
        names = dict(zip(at, places, strict=True))
        total = {}
        for n, c in ordered:
            factors = [Factor(g.name, tuple(names[e] for e in g.at)) for g in n.factors]
            total[Monomial(0, frozenset(), tuple(sorted(factors)))] = c * sign
        return Term(total, {v for e in places for v in e.variables()})

    return [((_of(inside, at),), Fraction(1))]


def _as_number(parts: Mapping[Monomial, Fraction]) -> tuple[Index, Fraction] | None:
    """(e, c) with c > 0 if the sum is c times the number of the index e."""
    if any([f.name for f in n.factors] not in ([], [NUMBER]) for n in parts):
        return None
    scale = lcm(*(c.denominator for c in parts.values()))
    e = Index(0)
    for n, c in parts.items():
        e = e + (n.factors[0].at[0] if n.factors else Index(1)) * int(c * scale)
    return e, Fraction(1, scale)
