"""Square roots of sizes and of numbers: √n·√n is n, 1/√n is √n/n, and a root of a product is one of its factors each.

That is right for n ≥ 0, and for 1/√n where n ≥ 1: sizes and positive numbers alone are read so. The kernel, to which
a root is a function without laws, is given terms in which no root stands twice in a product, nor below.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

from ...exact.polynomials import rational_root
from ...kernel import index
from ...kernel.index import Index
from ...kernel.term import (
    INVERSE,
    INVERSE_NUMBER,
    NUMBER,
    Factor,
    Monomial,
    Term,
    as_index_number,
    as_term,
    body,
    function_of,
)
from ..array import KernelArray, function, holds, reciprocal
from ..namespace import Namespace
from ..session import current
from ..terms import number, share

XP = Namespace()
SQRT = "sqrt"
FACTORED = 1_000_000
"""Whole numbers up to this are read as products of primes under a root."""


def combined(array: KernelArray) -> KernelArray:
    """The array, with no root of a size or number twice in a product, and none in what is divided by."""
    if SQRT not in current().functions:
        return array
    if all(_plain(m, c, array.term) is None for m, c in array.term.parts.items()):
        return array
    return KernelArray(array.dims, array.at, share(_parts(array.term)))


def _plain(m: Monomial, c: Fraction, whole: Term) -> Term | None:
    """The monomial in other words; None if there is nothing to change."""
    left = Counter(m.factors)
    found = as_term(1)
    for f, count in Counter(m.factors).items():
        of, below = _radicand(f), _below(f)
        if below is not None:
            del left[f]
            found = math.prod([below] * count, start=found)
        elif of is not None and count > 1:
            left[f] = count % 2
            found = math.prod([of] * (count // 2), start=found)
    if sum(left.values()) == len(m.factors):
        return None
    rest = m._replace(factors=tuple(sorted(left.elements())))
    again = _parts(Term({rest: c}, whole.scope) * found)
    return again


def _parts(term: Term) -> Term:
    """The term, its monomials once more: 1/√n beside √n leaves a root twice."""
    found = Term({}, term.scope)
    for m, c in term.parts.items():
        new = _plain(m, c, term)
        found = found + (Term({m: c}, term.scope) if new is None else new)
    return found


def _inside(f: Factor) -> Term:
    """What the function is taken of."""
    pairs = body(f, 0)
    return Term(dict(pairs), frozenset(v for m, _ in pairs for v in m.variables() if v > 0))


def _radicand(f: Factor) -> Term | None:
    """What a root is of, if that is the number of sizes or a number, not below 0."""
    if function_of(f) != SQRT or f.at:
        return None
    of = _inside(f)
    found = as_index_number(of)
    seen = found is not None and found[1] > 0 and holds(found[0])
    return of if seen or _constant(of) is not None else None


def _below(f: Factor) -> Term | None:
    """1/(A √n) as (1/A) √n / n."""
    if function_of(f) != INVERSE or f.name == INVERSE_NUMBER or f.at:
        return None
    of = _inside(f)
    if len(of.parts) != 1:
        return None
    ((m, c),) = of.parts.items()
    found, rest = as_term(1), list(m.factors)
    for one in m.factors:
        radicand = _radicand(one)
        if radicand is not None and _is_positive(radicand):
            rest.remove(one)
            found = found * _alone(one) * reciprocal(radicand)
    if len(rest) == len(m.factors) or m.bound or m.guards:
        return None
    return found * reciprocal(Term({m._replace(factors=tuple(rest)): c}, of.scope))


def _is_positive(of: Term) -> bool:
    found = as_index_number(of)
    constant = _constant(of)
    return constant is not None or (found is not None and found[1] > 0 and holds(found[0] - 1))


def _constant(of: Term) -> Fraction | None:
    """The number that a term is, if it is one > 0."""
    ((m, c),) = of.parts.items() if len(of.parts) == 1 else ((None, Fraction(0)),)
    return c if m is not None and c > 0 and not (m.factors or m.bound or m.guards) else None


def _alone(f: Factor) -> Term:
    scope = frozenset(v for v in f.variables() if v > 0)
    return Term({Monomial(0, frozenset(), (f,)): Fraction(1)}, scope)


def of_sizes(of: Term) -> KernelArray | None:
    """√(c n/m …) as √c √n (√m/m) …, for numbers n, m of sizes; None if it is not of such a product."""
    found = as_index_number(of)
    if found is not None and found[0].terms and found[1] > 0 and holds(found[0]):
        return root(found[1]) * function(SQRT, _array(number(found[0])))
    if len(of.parts) != 1:
        return None
    ((m, c),) = of.parts.items()
    if (
        c <= 0
        or m.bound
        or m.guards
        or any(f.name not in (NUMBER, INVERSE_NUMBER) for f in m.factors)
    ):
        return None
    if not all(_is_size(f.at[0]) for f in m.factors):
        return None
    made = root(c)
    for f in m.factors:
        made = made * function(SQRT, _array(number(f.at[0])))
        if f.name == INVERSE_NUMBER:
            made = made * _array(_alone(f))
    return combined(made)


def _is_size(at: Index) -> bool:
    return at.variables() <= index.current.sizes and holds(at)


def _array(term: Term) -> KernelArray:
    return KernelArray((), (), share(term))


def root(of: Fraction) -> KernelArray:
    """The root of a number: that of its numerator by that of its denominator, each of primes one by one.

    Numbers that are given in several ways, such as 1/√2 and √(1/2), are so read in one.
    """
    top, bottom = (_whole_root(n) for n in of.as_integer_ratio())
    return top if of.denominator == 1 else top / bottom


def _whole_root(of: int) -> KernelArray:
    known = rational_root(Fraction(of))
    if known is not None:
        return XP.asarray(known)
    if of > FACTORED:
        return function(SQRT, XP.asarray(of))
    found, p = XP.asarray(1), 2
    while of > 1:
        p = p if p * p <= of else of
        if of % (p * p) == 0:
            found, of = found * p, of // (p * p)
        elif of % p == 0:
            found, of = found * function(SQRT, XP.asarray(p)), of // p
        else:
            p += 1
    return found
