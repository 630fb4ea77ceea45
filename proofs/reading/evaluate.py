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
    ends = _ends(waiting, m.guards, place)
    v = next((v for v in waiting if None not in ends[v]), None)
    if v is None:
        raise ValueError(f"a bound index of {m} has no range")
    for chosen in range(ends[v][0], ends[v][1] + 1):
        yield from _places(m, {**place, v: chosen})


def _ends(waiting: Sequence[int], guards: Any, place: Mapping[int, int]) -> dict[int, list[Any]]:
    """The least and the greatest value of each waiting index that the guards allow, or None, one guard at a time."""
    ends: dict[int, list[Any]] = {v: [n, n] for v, n in place.items()}
    ends.update({v: [None, None] for v in waiting})
    for _ in range(len(waiting) + 1):
        for g in guards:
            for v, c in g.terms:
                if v not in waiting:
                    continue
                others = [(d, ends[w][d > 0]) for w, d in g.terms if w != v]
                if any(end is None for _, end in others):
                    continue
                rest = g.const + sum(d * end for d, end in others)
                side, end = (0, -(rest // c)) if c > 0 else (1, rest // -c)
                old = ends[v][side]
                ends[v][side] = end if old is None else max(old, end) if c > 0 else min(old, end)
    return ends


def positions(variables: Sequence[int], at: Mapping[int, int]) -> Iterator[dict[int, int]]:
    """All values of free variables within their declared ranges; later ones may depend on earlier ones."""
    if not variables:
        yield dict(at)
        return
    v, *rest = variables
    low, high = (at_index(e, {**at, v: 0}) for e in declared(v))
    for chosen in range(-low, high + 1):
        yield from positions(rest, {**at, v: chosen})
