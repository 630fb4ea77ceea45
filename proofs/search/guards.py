"""What guards say where something is known: which of them are needless, and what a bound index must be.

It is queried often under other names, so answers are remembered: for variables numbered from 1 on, in the order
of their declaration, and for what is known of those alone that the guards have to do with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import gcd
from typing import Any, NamedTuple

from ..kernel import index as declarations
from ..kernel.index import Index, variable
from ..kernel.inequalities import contradictory, implied, negation
from ..kernel.term import Monomial

NEAR = 2
"""How far apart twins are looked for."""
Rows = frozenset[Index]


class Advice(NamedTuple):
    """What to do with a monomial that has these guards: at most one thing."""

    instead: tuple[tuple[Index, ...], ...] | None = None
    """The guards that are as good: none needless, or none at all where no numbers meet them."""
    equation: tuple[int, Index] | None = None
    """A bound index, and the index that it must be."""


NOTHING = Advice()


@lru_cache(maxsize=20_000)
def advice(known: Rows, guards: Rows) -> Advice:
    """What to do with a monomial that has these guards, where all that is known is ≥ 0."""
    near = _near(known, frozenset([v for g in guards for v, _ in g.terms if v > 0]))
    free = {v for rows in (near, guards) for e in rows for v, _ in e.terms if v > 0}
    names = {v: n for n, v in enumerate(sorted(free), start=1)}
    found = _advice(*(frozenset([named(e, names) for e in rows]) for rows in (near, guards)))
    back = {n: variable(v) for v, n in names.items()}
    if found.instead is not None:
        rows = [tuple([e.substitute(back) for e in rows]) for rows in found.instead]
        return Advice(tuple(rows))
    if found.equation is not None:
        v, image = found.equation
        return Advice(equation=(v, image.substitute(back)))
    return found


@lru_cache(maxsize=20_000)
def _near(known: Rows, variables: frozenset[int]) -> Rows:
    """What is known that has to do with these variables; all of it if it is at odds with itself."""
    if contradictory(tense(known)):
        return known
    found: set[Index] = set()
    reached = set(variables)
    while more := {e for e in known - found if not reached.isdisjoint([v for v, _ in e.terms])}:
        found |= more
        reached.update([v for e in more for v, _ in e.terms])
    return frozenset(found)


def named(e: Index, names: Mapping[int, int]) -> Any:
    """The parts of the index with these names for its free variables."""
    return tuple([(names.get(v, v), c) for v, c in e.terms]), e.const


@lru_cache(maxsize=50_000)
def _advice(known: frozenset[Any], guards: frozenset[Any]) -> Advice:
    """The same, for the parts of indices."""
    near, given = ([Index(c, dict(terms)) for terms, c in rows] for rows in (known, guards))
    rows = sorted({tight(g) for g in given})
    if contradictory(tense([*near, *rows])):
        return Advice(())
    for g in list(rows):
        if follows(g, [*near, *(h for h in rows if h != g)]):
            rows.remove(g)
    if set(given) != set(rows):
        return Advice((tuple(rows),))
    return Advice(equation=_equation(near, rows) or _twins(near, rows))


def tense(rows: Iterable[Index]) -> list[Index]:
    """The rows that may be at odds: none has a variable that makes all rows with it true once it is large, or small.

    Found by their looks. The others contradict nothing, nor say what a variable is: the kernel need not be queried.
    """
    left = list(rows)
    while True:
        ends = {(v, c > 0) for row in left for v, c in row.terms}
        kept = [row for row in left if ends.issuperset([(v, c < 0) for v, c in row.terms])]
        if len(kept) == len(left):
            return left
        left = kept


def follows(e: Index, rows: Sequence[Index]) -> bool:
    """Whether e ≥ 0 where all rows are ≥ 0: what `implied` says, queried only where it may."""
    ends = {(v, c > 0) for row in rows for v, c in row.terms}
    if not ends.issuperset([(v, c > 0) for v, c in e.terms]):
        return False
    contrary = negation(e)
    firm = tense([contrary, *rows])
    return contrary in firm and contradictory(firm)


def tight(e: Index) -> Index:
    """The strongest [e' ≥ 0] that is equivalent to [e ≥ 0] in whole numbers."""
    divisor = gcd(*(c for _, c in e.terms))
    if divisor < 2:
        return e
    return Index(e.const // divisor, {v: c // divisor for v, c in e.terms})


def _equation(known: Sequence[Index], guards: Sequence[Index]) -> tuple[int, Index] | None:
    """j = e, of two guards j ≥ e and j ≤ e, or of one and what is known."""
    if len(guards) < 2:
        return None
    firm = tense([*known, *guards])
    for guard in sorted(set(guards).intersection(firm)):
        for v, c in guard.terms:
            if v < 0 and abs(c) == 1 and implied(guard * -1, firm):
                return v, variable(v) - guard * c
    return None


def _twins(known: Sequence[Index], guards: Sequence[Index]) -> tuple[int, Index] | None:
    """Of 2j = t and 2k = t + 2 nothing follows for t, but k = j + 1; k may be free."""
    doubled = {v for g in guards for v, c in g.terms if v < 0 and abs(c) > 1}
    rows = [*known, *guards]
    others = {v for e in rows for v, c in e.terms if abs(c) > 1} if doubled else doubled
    for v in sorted(doubled):
        for w in sorted(others - {v}):
            for apart in range(-NEAR, NEAR + 1):
                gap = variable(v) - variable(w) - apart
                if implied(gap, rows) and implied(gap * -1, rows):
                    return v, variable(w) + apart
    return None


def within(v: int, m: Monomial, known: Sequence[Index] = ()) -> tuple[Index, Index] | None:
    """lo and hi of a variable, from guards that speak of sizes besides."""
    sizes = declarations.current.sizes
    rows = (*sorted(m.guards), *(known if v > 0 else ()))
    return ends_by(v, (g for g in rows if g.coefficient(v) and g.variables() - {v} <= sizes))


def ends_by(v: int, rows: Iterable[Index]) -> tuple[Index, Index] | None:
    """lo and hi of a variable lo ≤ v < hi, by the last of these rows that says each; None if none says one of them.

    Of rows that differ by a number the nearest counts.
    """
    low = high = None
    for g in rows:
        if g.coefficient(v) == 1:
            new = variable(v) - g
            low = new if low is None or new.terms != low.terms else max(low, new)
        elif g.coefficient(v) == -1:
            new = g + variable(v) + 1
            high = new if high is None or new.terms != high.terms else min(high, new)
    return None if low is None or high is None else (low, high)
