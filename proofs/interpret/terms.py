"""What terms of the kernel are made of where arrays are read: numbers, guards, sums over an index, quotients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ..kernel import index as declarations
from ..kernel.errors import IllTyped
from ..kernel.index import Index, as_index, declared, facts, name, position_number, reach, variable
from ..kernel.inequalities import implied
from ..kernel.rules import has_values
from ..kernel.term import (
    DEFINED,
    INVERSE,
    INVERSE_NUMBER,
    NUMBER,
    Monomial,
    Term,
    apply,
    as_index_number,
    made,
    one_factor,
)
from . import areas
from .session import current


def number(of: Index | int) -> Term:
    """An index as a number."""
    of = as_index(of)
    parts = {one_factor(NUMBER, variable(v)): Fraction(c) for v, c in of.terms}
    return Term(parts, of.variables()) + of.const


def indicator(*guards: Index) -> Term:
    """1 where every e ≥ 0, else 0."""
    rows = frozenset(map(as_index, guards))
    return Term({Monomial(0, rows, ()): Fraction(1)}, {v for g in rows for v, _ in g.terms})


def equal_indices(one: Index | int, other: Index | int) -> Term:
    """[one = other]."""
    gap = as_index(one) - other
    return indicator(gap, -gap)


def total(term: Term, over: Index) -> Term:
    """Σ of the term over the whole declared range of the free variable `over`."""
    of = position_number(over)
    if sorted(e.coefficient(of) for e in declared(of)) != [-1, 1]:
        raise IllTyped("a sum runs over an index with two ends")
    _no_range_of(term.scope - {of}, {of})
    pairs = []
    for m, c in term.parts.items():
        images = {of: variable(-m.bound - 1)}
        ranged = m._replace(guards=m.guards | set(declared(of)))
        pairs.append((ranged.substitute(images, m.bound + 1), c))
    ends = {v for e in declared(of) for v, _ in e.terms}
    return made(pairs, (term.scope | ends) - {of})


def substitute(
    term: Term, images: Mapping[Index, Index | int], where: Iterable[Index] = ()
) -> Term:
    """[where] · the term with indices for declared variables; each must lie in its variable's range there.

    Raises:
        IllTyped: if that is not seen, or if the range of a variable that stays speaks of one that goes.
    """
    table = {position_number(old): as_index(new) for old, new in images.items()}
    _no_range_of(term.scope - set(table), set(table))
    ends = {old: [fact.substitute(table) for fact in declared(old)] for old in table}
    guarded = term.substitute(table)
    if where := tuple(where):
        guarded = guarded * indicator(*where)
    scope = guarded.scope.union([v for rows in ends.values() for e in rows for v, _ in e.terms])
    known = facts(scope).union(where)
    for old, new in table.items():
        if not all(implied(e, known) for e in ends[old]):
            raise IllTyped(f"{areas.spelled(new)} may lie outside the range of {name(old)}")
    return made(guarded.parts.items(), scope)


def inverse(term: Term, order: Sequence[Index]) -> Term:
    """1/T. What is an index's number must be ≥ 1 or ≤ −1 by its declaration; else T ≠ 0 is a side condition."""
    found = as_index_number(term)
    if found is None:
        return taken(INVERSE, term, order)
    of, scale = found
    known = facts(term.scope)
    if not implied(of - 1, known) and not implied(-of - 1, known):
        raise IllTyped(f"division by {areas.spelled(of)}, which may be 0")
    return Term({one_factor(INVERSE_NUMBER, of): 1 / scale}, term.scope)


def share(term: Term) -> Term:
    """The term under a name: equal terms get the same one. What is short, or a number of an index, stays as it is."""
    if len(term.parts) < 2 and not any(m.bound for m in term.parts):
        return term
    if all(
        not m.bound and not m.guards and all(f.name == NUMBER for f in m.factors)
        for m in term.parts
    ):
        return term
    return taken(DEFINED, term, positions_in(term))


def taken(function: str, term: Term, order: Sequence[Index]) -> Term:
    """f(term) at these positions, which is declared to the kernel: where something is divided by, it is not 0.

    It is not taken where an array that is read has no entry, or a loop around it no turn.
    """
    found = apply(function, term, order)
    ((m, _),) = found.parts.items()
    known = facts({v for e in order for v in e.variables()})
    beside = [e for e in current().around if not has_values(position_number(e), known)]
    declarations.place(m.factors[0].name, order, beside)
    return found


def positions_in(term: Term) -> list[Index]:
    """The positions that a term mentions, and those of their ranges, in the order of their declaration."""
    found = {v for m in term.parts for v in m.variables() if v > 0}
    return [variable(v) for v in sorted(reach(found) - declarations.current.sizes)]


def _no_range_of(staying: Iterable[int], going: set[int]) -> None:
    if not going.isdisjoint([v for e in facts(staying) for v, _ in e.terms]):
        raise IllTyped("the range of an index that stays speaks of one that goes")
