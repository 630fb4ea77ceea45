"""Square roots of sizes and of numbers: √n·√n is n, √n/n is 1/√n, and a root of a product is one of its factors each.

That is right for n ≥ 0, and where there is a quotient for n ≥ 1: sizes and positive numbers alone are read so, so that
no root of one stands twice in a product. That √A·√A is A for sums A that are seen to be ≥ 0 is a rule of the kernel's.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

from ..exact.polynomials import rational_root
from ..interpret.array import KernelArray, comprehension, function, holds, reciprocal, scalar
from ..interpret.session import current
from ..interpret.simplifying import simplified
from ..interpret.terms import number, share
from ..kernel import index
from ..kernel.index import Index, facts, variable
from ..kernel.signs import seen_sign
from ..kernel.term import (
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
from ..statement.conditions import NOT_BELOW

SQRT = "sqrt"
FACTORED = 1_000_000
"""Whole numbers up to this are read as products of primes under a root."""


def square_root(of: KernelArray) -> KernelArray:
    """The square roots of entries; that these are ≥ 0 is taken for granted, and said, where it is not seen."""
    term = simplified(of.term)
    known = Fraction(sum(term.parts.values())) if all(m == EMPTY for m in term.parts) else None
    if known is None or known < 0:
        alike = not of.dims or all(
            index.current.sizes.issuperset(m.variables()) for m in term.parts
        )
        sizes = of_sizes(term) if alike else None
        if sizes is not None:  # the same in every entry
            return comprehension(of.dims, lambda *at: sizes.shared)
        if not seen_sign(term.parts.items(), rows=facts(of.term.scope)):
            current().taken.setdefault(NOT_BELOW)
        below = _sizes_below(of.term)
        for n in below:  # √(A/n + B) is √(A + B n) √n/n
            of = of * _array(number(n))
        return function(SQRT, of) * _roots_over(below) if below else function(SQRT, of)
    return comprehension(of.dims, lambda *at: root(known).shared)


def _sizes_below(of: Term) -> list[Index]:
    """The numbers of sizes that stand below in a sum that is no product, each as often as in one term of it."""
    parts = simplified(of).parts
    if len(parts) < 2:
        return []
    counts = [Counter(f.at[0] for f in m.factors if _is_below(f)) for m in parts]
    return list(reduce(operator.or_, counts).elements())


def _is_below(f: Factor) -> bool:
    """Whether it is 1/n for a size n. Of n + 1, which is a sum, (n + 1)/(n + 1) would stay as it is."""
    if f.name != INVERSE_NUMBER or not _is_size(f.at[0]):
        return False
    return f.at[0] in map(variable, f.at[0].variables())


def _roots_over(sizes: Sequence[Index]) -> KernelArray:
    """The product of √n/n."""
    made = scalar(1)
    for n in sizes:
        one = _array(number(n))
        made = made * function(SQRT, one) * _array(reciprocal(one.shared))
    return made


EMPTY = Monomial(0, frozenset(), ())


def combined(array: KernelArray) -> KernelArray:
    """The array, with no root of a size or number twice in a product, nor beside this number's inverse."""
    if SQRT not in current().functions:
        return array
    of_numbers = any(map(_is_of_a_number, index.current.bodies.values()))
    if not of_numbers and not current().depth:
        return array  # asking for its term would simplify it: that serves a step, and elsewhere takes long
    if all(_plain(m, c, array.term) is None for m, c in array.term.parts.items()):
        return array
    return KernelArray(array.dims, array.at, share(_parts(array.term)))


def _is_of_a_number(function: Any) -> bool:
    return (
        function.name == SQRT
        and not function.arity
        and all(
            not m.bound and not m.guards and all(f.name == NUMBER for f in m.factors)
            for m, _ in function.body
        )
    )


def _plain(m: Monomial, c: Fraction, whole: Term) -> Term | None:
    """The monomial in other words; None if there is nothing to change."""
    left, found = Counter(m.factors), as_term(1)
    for f in sorted(left):
        of, apart = _radicand(f), _apart(f)
        if apart is not None:
            found = math.prod([apart] * left.pop(f), start=found)
        elif of is not None:
            below = next((g for g in left if _is_inverse_of(g, f)), None)
            if below is not None:
                both = min(left[f], left[below])
                left[f], left[below] = left[f] - both, left[below] - both
            found = math.prod([of] * (left[f] // 2), start=found)
            left[f] %= 2
        elif (of := _radicand_below(f)) is not None:
            found = math.prod([reciprocal(of)] * (left[f] // 2), start=found)
            left[f] %= 2
    for f in [f for f in left if left[f] > 0]:  # √n/n is 1/√n, and n/√n is √n
        upward = _radicand(f)
        of = _radicand_below(f) if upward is None else upward
        own = None if of is None else _factor(of if upward is None else reciprocal(of))
        if own is not None and left[own] > 0:
            root = _alone(f) if upward is not None else _inside(f)
            left[f], left[own] = left[f] - 1, left[own] - 1
            found = found * (reciprocal(root) if upward is not None else root)
    if sum(left.values()) == len(m.factors):
        return None
    rest = m._replace(factors=tuple(sorted(left.elements())))
    return _parts(Term({rest: c}, whole.scope) * found)


def _parts(term: Term) -> Term:
    """The term, its monomials once more."""
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


def _radicand_below(f: Factor) -> Term | None:
    """n of 1/√n."""
    if function_of(f) != INVERSE or f.name == INVERSE_NUMBER or f.at:
        return None
    root = _factor(_inside(f))
    of = None if root is None else _radicand(root)
    return of if of is not None and _is_positive(of) else None


def _apart(f: Factor) -> Term | None:
    """1/(A √n) as 1/A 1/√n."""
    if function_of(f) != INVERSE or f.name == INVERSE_NUMBER or f.at:
        return None
    of = _inside(f)
    if len(of.parts) != 1 or _factor(of) is not None:
        return None
    ((m, c),) = of.parts.items()
    roots = [one for one in m.factors if _radicand(one) is not None]
    if not roots or m.bound or m.guards:
        return None
    rest = tuple(one for one in m.factors if one not in roots)
    found = reciprocal(Term({m._replace(factors=rest): c}, of.scope))
    return math.prod([reciprocal(_alone(one)) for one in roots], start=found)


def _is_inverse_of(one: Factor, other: Factor) -> bool:
    return _radicand_below(one) is not None and _factor(_inside(one)) == other


def _factor(of: Term) -> Factor | None:
    """The factor that a term is, if it is one."""
    ((m, c),) = of.parts.items() if len(of.parts) == 1 else ((None, 0),)
    one = m is not None and c == 1 and not m.bound and not m.guards and len(m.factors) == 1
    return m.factors[0] if one and m is not None else None


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
        return scalar(known)
    if of > FACTORED:
        return function(SQRT, scalar(of))
    found, p = scalar(1), 2
    while of > 1:
        p = p if p * p <= of else of
        if of % (p * p) == 0:
            found, of = found * p, of // (p * p)
        elif of % p == 0:
            found, of = found * function(SQRT, scalar(p)), of // p
        else:
            p += 1
    return found
