"""One name for a function's values wherever they are taken: f(x[t + 1]) is F[t + 1], where F[p] is f(x[p]).

Two values are equal where they are taken of the same, and then look the same: the pattern of what a function is taken
of has a position for each place at which something is read, whatever is read there. So it is one pattern for x[t + 1],
x[0] and x[4 j + r], and the places stand where they are seen, beside those of the other factors.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

from ..kernel import index as declarations
from ..kernel.errors import KernelError
from ..kernel.index import Index, formal, variable
from ..kernel.reduction import congruence, reduction
from ..kernel.rules import Rewriting, is_taken
from ..kernel.term import (
    EXP,
    INVERSE,
    INVERSE_NUMBER,
    LOG,
    NUMBER,
    Factor,
    Monomial,
    Pairs,
    apply,
    body,
    function_of,
)
from ..kernel.theorem import Theorem
from .exponents import moved
from .session import Proving, current, spoken_of
from .steps import RENAMED, at_formals, images, is_function

ORDERED = 5
"""A function of more places keeps the name that it has."""


def to_pattern(work: Rewriting, k: int, settled: Callable[[Factor, Proving], bool]) -> bool:
    """One value of a function by its pattern; whether there was one. Values of exp, which are multiplied, stay.

    Args:
        work: the sum.
        k: the number of the monomial.
        settled: whether a value is in normal form.
    """
    m, session = work.parts[k][0], current()
    for place, f in enumerate(m.factors):
        function = function_of(f)
        if not is_function(f) or function == EXP or spoken_of(f.name, session):
            continue
        last = _last(f, session)
        if last == f or (function in (INVERSE, LOG) and _is_lost(f, last, work.known | m.guards)):
            continue
        if settled(last, session):
            return _one_step(work, k, place, session)
    return False


def _is_lost(f: Factor, new: Factor, rows: frozenset[Index]) -> bool:
    """Whether it is known of the old name alone that its inverse or logarithm is taken."""
    return is_taken(f, rows) and not is_taken(new, rows)


def _last(f: Factor, session: Proving) -> Factor:
    """The value under the name that it gets in the end."""
    new = _matched(f, session)
    rule = _inner(new.name, session)
    if rule is None:
        return new
    (m,) = rule.right.parts
    return m.factors[0].substitute(images(rule, new))


def _one_step(work: Rewriting, k: int, place: int, session: Proving) -> bool:
    f = work.parts[k][0].factors[place]
    new = _matched(f, session)
    if new != f:
        work.alike(k, place, new)
        return True
    rule = _inner(f.name, session)
    if rule is not None:
        work.rewrite(k, place, rule, images(rule, f))
    return rule is not None


def _inner(name: str, session: Proving) -> Theorem | None:
    """What the function is with the functions in its argument by their patterns, at all whole numbers."""
    if name not in session.patterns:
        session.patterns[name] = None  # while it is looked for
        arity = declarations.current.bodies[name].arity
        left = at_formals(name, arity)
        with suppress(KernelError):
            session.patterns[name] = _found(left, session)
    return session.patterns[name]


def _found(left: Factor, session: Proving) -> Theorem | None:
    inside_it = (f for m, _ in body(left, 0) for f in m.factors if is_function(f))
    if all(_last(f, session) == f for f in inside_it):
        return None

    def inside(work: Rewriting) -> None:
        while any(
            _one_step(work, k, place, session)
            for k, (m, _) in work.parts.items()
            for place, f in enumerate(m.factors)
            if is_function(f)
        ):
            pass

    def search(work: Rewriting) -> None:
        rule = congruence(left, inside)
        work.rewrite(0, 0, rule, images(rule, left))
        ((k, (m, _)),) = work.parts.items()
        new = _matched(m.factors[0], session)
        if new != m.factors[0]:
            work.alike(k, 0, new)

    return reduction(left, search)


def _matched(f: Factor, session: Proving) -> Factor:
    """The same value by the pattern of what it is taken of, as that is written."""
    if f not in session.instances:
        session.instances[f] = by_pattern(f)
    return session.instances[f]


def by_pattern(f: Factor) -> Factor:
    """The same value of a function under the name of its pattern, at the places in the pattern's order."""
    free = {v for e in f.at for v in e.variables()}
    bound = -min(free, default=0) if min(free, default=0) < 0 else 0
    pairs = body(f, bound)
    places = _places(pairs, bound)
    if len(places) > ORDERED:
        return f

    def written(order: Sequence[Index]) -> Any:
        names = {e: variable(RENAMED + n) for n, e in enumerate(order)}
        return sorted(
            (m.bound, m.factors, sorted(m.guards), c)
            for m, c in _put(pairs, _replacing(names, bound))
        )

    # Places that may change parts, as in x[0]² + x[1]², are in their own order.
    order = min(itertools.permutations(places), key=lambda order: (written(order), order))
    names = {e: formal(n) for n, e in enumerate(order)}
    term = moved(_put(pairs, _replacing(names, bound)), bound, {})
    function = declarations.current.bodies[f.name].name
    ((m, _),) = apply(function, term, [*names.values()]).parts.items()
    return Factor(m.factors[0].name, tuple(order))


Put = Callable[[Index, bool], Index]
"""What stands for an index, of a place or of a guard, or of what counts."""


def _places(pairs: Pairs, bound: int) -> list[Index]:
    """What is free in the places at which something is read; and in the ends of sums, where no place goes with them."""
    found: dict[Index, None] = {}
    ends: dict[Index, None] = {}

    def note(e: Index, counts: bool) -> Index:
        part = _free(e, bound, counts)
        if part is not None:
            (ends if counts else found)[part[0]] = None
        return e

    _put(pairs, note)
    near = {e - e.const for e in found}
    return [*found, *(e for e in ends if e not in near)]


def _replacing(names: Mapping[Index, Index], bound: int) -> Put:
    """Positions for places; an end goes with the first place from which a number tells it apart."""
    near: dict[Index, Index] = {}
    for e in sorted(names, reverse=True):
        near[e - e.const] = e

    def put(e: Index, counts: bool) -> Index:
        part = _free(e, bound, counts)
        if part is None:
            return e
        of = near[part[0]] if counts else part[0]
        return e + (names[of] - of) * part[1]

    return put


def _put(pairs: Pairs, put: Put) -> list[tuple[Monomial, Fraction]]:
    """The sum with other indices."""

    def put_into(f: Factor) -> Factor:
        of_number = f.name in (NUMBER, INVERSE_NUMBER)
        return Factor(f.name, tuple([put(e, of_number) for e in f.at]))

    return [
        (
            Monomial(
                m.bound,
                frozenset([put(g, True) for g in sorted(m.guards)]),
                tuple(sorted(map(put_into, m.factors))),
            ),
            c,
        )
        for m, c in pairs
    ]


def _free(e: Index, bound: int, counts: bool) -> tuple[Index, int] | None:
    """The part of an index without indices that are summed over, and whether it is added or subtracted.

    Of an end, or where its number counts, it is the part without a number. It is None for a number that stands beside
    what is summed over, and for an end that is a size.
    """
    part = Index(e.const, {v: c for v, c in e.terms if v >= -bound})
    if not counts:
        return (part, 1) if part.terms or part == e else None
    if part.variables() <= declarations.current.sizes:
        return None
    part -= part.const
    return (part, 1) if part.terms[0][1] > 0 else (-part, -1)
