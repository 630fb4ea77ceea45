"""Linear inequalities e ≥ 0 in whole numbers: Fourier–Motzkin elimination with rounding. It may say "don't know"."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from .errors import TooHard
from .index import Index

ROWS = 400
"""More inequalities than this at once are too hard."""


def negation(e: Index) -> Index:
    """e < 0, as an inequality ≥ 0."""
    return e * -1 - 1


def implied(e: Index, known: Iterable[Index]) -> bool:
    """Whether e ≥ 0 wherever all of `known` are ≥ 0; False if that is not seen."""
    if not e.terms:
        return e.const >= 0
    known = tuple(known)
    if any(k.terms == e.terms and k.const <= e.const for k in known):
        return True
    return contradictory([*known, negation(e)])


def contradictory(rows: Iterable[Index]) -> bool:
    """Whether no whole numbers make all rows ≥ 0; False if that is not seen."""
    return _contradictory(frozenset(rows))


@lru_cache(maxsize=200_000)
def _contradictory(rows: frozenset[Index]) -> bool:
    while True:
        strongest: dict[tuple, Index] = {}
        for row in map(Index.tight, rows):
            if not row.terms:
                if row.const < 0:
                    return True
            elif row.terms not in strongest or row.const < strongest[row.terms].const:
                strongest[row.terms] = row
        if not strongest:
            return False
        if len(strongest) > ROWS:
            raise TooHard(f"more than {ROWS} inequalities")
        rows = frozenset(_without_one_variable(list(strongest.values())))


def _without_one_variable(rows: list[Index]) -> list[Index]:
    signs: dict[int, list[int]] = {}
    for row in rows:
        for v, c in row.terms:
            signs.setdefault(v, [0, 0])[c > 0] += 1
    chosen = min(signs, key=lambda v: (signs[v][0] * signs[v][1], v))
    kept, below, above = [], [], []
    for row in rows:
        c = row.coefficient(chosen)
        (kept if c == 0 else above if c < 0 else below).append(row)
    return kept + [
        a * b.coefficient(chosen) + b * -a.coefficient(chosen) for a in above for b in below
    ]
