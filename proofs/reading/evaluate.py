"""The value of a kernel term at given sizes and entries, by plain enumeration: no rule of the kernel is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..kernel.index import Index, declared
from ..kernel.term import HOLE, NUMBER, Factor, Monomial, Term

Entries = Callable[[str, tuple[int, ...]], Any]
"""The value of the entry of a named array."""


def value(term: Term, at: Mapping[int, int], entries: Entries) -> Any:
    """The term where its variables have the values `at`.

    Raises:
        ZeroDivisionError: where a denominator is 0.
        ValueError: if a bound index has no range.
    """
    result = Fraction(0)
    for m, c in term.monomials.items():
        for place in _places(m, dict(at)):
            product = c
            for f in m.factors:
                product = product * _factor(f, place, entries)
            result = result + product
    return result


def at_index(e: Index, place: Mapping[int, int]) -> int:
    return e.const + sum(c * place[v] for v, c in e.terms)


def _factor(f: Factor, place: Mapping[int, int], entries: Entries) -> Any:
    if f.of is not None:
        outside = {v: n for v, n in place.items() if v > 0} if f.of.binds() else place
        return 1 / value(f.of, outside, entries)
    if f.span is None:
        spots = tuple(at_index(e, place) for e in f.at)
        return Fraction(spots[0]) if f.name == NUMBER else entries(f.name, spots)
    product = Fraction(1)
    for r in range(at_index(f.span[0], place), at_index(f.span[1], place)):
        inside = {**place, HOLE: r}
        product = product * entries(f.name, tuple(at_index(e, inside) for e in f.at))
    return product


def _places(m: Monomial, place: dict[int, int]) -> Iterator[dict[int, int]]:
    """Every value of the bound indices at which all guards hold."""
    waiting = [v for v in range(-1, -m.bound - 1, -1) if v not in place]
    if not waiting:
        if all(at_index(g, place) >= 0 for g in m.guards):
            yield place
        return
    for v in waiting:
        ends = _ends(v, m.guards, place)
        if ends is not None:
            for chosen in range(ends[0], ends[1] + 1):
                yield from _places(m, {**place, v: chosen})
            return
    raise ValueError(f"a bound index of {m} has no range")


def _ends(v: int, guards: Any, place: Mapping[int, int]) -> tuple[int, int] | None:
    """The least and the greatest value that the guards in v alone allow."""
    low, high = None, None
    for g in guards:
        c = g.coefficient(v)
        if c and all(w == v or w in place for w in g.variables()):
            rest = at_index(g - Index(0, {v: c}), place)
            if c > 0:
                end = -(rest // c)
                low = end if low is None else max(low, end)
            else:
                end = rest // -c
                high = end if high is None else min(high, end)
    return None if low is None or high is None else (low, high)


def positions(variables: Sequence[int], at: Mapping[int, int]) -> Iterator[dict[int, int]]:
    """All values of free variables within their declared ranges; later ones may depend on earlier ones."""
    if not variables:
        yield dict(at)
        return
    v, *rest = variables
    low, high = (at_index(e, {**at, v: 0}) for e in declared(v))
    for chosen in range(-low, high + 1):
        yield from positions(rest, {**at, v: chosen})
