"""Linear inequalities e ≥ 0 in whole numbers: Fourier–Motzkin elimination with rounding. It may say "don't know"."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import gcd

from .errors import TooHard
from .index import Index

ROWS = 400
"""More inequalities than this at once are too hard."""
Rows = dict[tuple[tuple[int, int], ...], int]
"""Σ c · v + const ≥ 0: the pairs (v, c), and const."""


def negation(e: Index) -> Index:
    """e < 0, as an inequality ≥ 0."""
    return e * -1 - 1


def implied(e: Index, known: Iterable[Index]) -> bool:
    """Whether e ≥ 0 wherever all of `known` are ≥ 0; False if that is not seen.

    Only what has to do with e's variables is looked at.
    """
    return e.const >= 0 if not e.terms else _implied(e, frozenset(known))


@lru_cache(maxsize=200_000)
def _implied(e: Index, known: frozenset[Index]) -> bool:
    rest = set(known)
    if any(k.terms == e.terms and k.const <= e.const for k in rest):
        return True
    linked, reached = [negation(e)], e.variables()
    while more := [k for k in rest if not reached.isdisjoint(k.variables())]:
        linked += more
        rest.difference_update(more)
        reached = reached.union(*(k.variables() for k in more))
    return _contradictory(frozenset(linked))


def contradictory(rows: Iterable[Index]) -> bool:
    """Whether no whole numbers make all rows ≥ 0; False if that is not seen."""
    return _contradictory(frozenset(rows))


@lru_cache(maxsize=200_000)
def _contradictory(rows: frozenset[Index]) -> bool:
    left: Rows = {}
    if any(_false(left, row.terms, row.const) for row in rows):
        return True
    while left:
        if len(left) > ROWS:
            raise TooHard(f"more than {ROWS} inequalities")
        ends: dict[int, list[int]] = {}
        for terms in left:
            for v, c in terms:
                ends.setdefault(v, [0, 0])[c > 0] += 1
        open_ended = {v for v, (above, below) in ends.items() if not above or not below}
        if open_ended:  # large or small enough, such a variable makes its rows true
            left = {t: c for t, c in left.items() if open_ended.isdisjoint([v for v, _ in t])}
            continue
        chosen = min(ends, key=lambda v: (ends[v][0] * ends[v][1], v))
        kept: Rows = {}
        signed: tuple[list, list] = [], []
        for terms, const in left.items():
            c = next((c for v, c in terms if v == chosen), 0)
            if c:
                signed[c > 0].append((abs(c), terms, const))
            else:
                kept[terms] = const
        for p, above, high in signed[0]:
            for q, below, low in signed[1]:
                total = {v: c * q for v, c in above}
                for v, c in below:
                    total[v] = total.get(v, 0) + c * p
                terms = tuple(sorted((v, c) for v, c in total.items() if c))
                if _false(kept, terms, high * q + low * p):
                    return True
        left = kept
    return False


def _false(rows: Rows, terms: tuple[tuple[int, int], ...], const: int) -> bool:
    """Whether the row is false by itself; if not it is put to the others, as strong as whole numbers allow."""
    if not terms:
        return const < 0
    divisor = gcd(*[c for _, c in terms])
    if divisor > 1:
        terms, const = tuple([(v, c // divisor) for v, c in terms]), const // divisor
    rows[terms] = min(const, rows.get(terms, const))
    return False
