"""Linear inequalities e ≥ 0 in whole numbers: Fourier–Motzkin elimination with rounding. It may say "don't know"."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import gcd

from .errors import IllTyped, TooHard
from .index import Index

ROWS = 400
"""More inequalities than this at once are too hard."""
Row = tuple[tuple[tuple[int, int], ...], int]
"""Σ c · v + const ≥ 0: the pairs (v, c), and const."""


def negation(e: Index) -> Index:
    """e < 0, as an inequality ≥ 0."""
    return -e - 1


def implied(e: Index, known: Iterable[Index]) -> bool:
    """Whether e ≥ 0 wherever all of `known` are ≥ 0; False if that is not seen.

    Only what has to do with e's variables is looked at.
    """
    return _implied(e, frozenset(known)) if e.terms else e.const >= 0


@lru_cache(maxsize=200_000)
def _implied(e: Index, known: frozenset[Index]) -> bool:
    if e in known or any(k.terms == e.terms and k.const <= e.const for k in known):
        return True
    linked, reached, rest = [negation(e)], e.variables(), known
    while more := [k for k in rest if not reached.isdisjoint([v for v, _ in k.terms])]:
        linked += more
        rest = rest.difference(more)
        reached.update([v for k in more for v, _ in k.terms])
    return contradictory(linked)


def contradictory(rows: Iterable[Index]) -> bool:
    """Whether no whole numbers make all rows ≥ 0; False if that is not seen."""
    return _contradictory(frozenset(rows))


@lru_cache(maxsize=200_000)
def _contradictory(rows: frozenset[Index]) -> bool:
    if any(type(row) is not Index for row in rows):
        raise IllTyped("inequalities are of indices")
    new: Iterable[Row] = rows
    left: dict[tuple[tuple[int, int], ...], int] = {}
    while True:
        for terms, const in new:
            if terms:  # as strong as whole numbers allow
                divisor = gcd(*[c for _, c in terms])
                if divisor > 1:
                    terms = tuple([(v, c // divisor) for v, c in terms])
                left[terms] = min(const // divisor, left.get(terms, const // divisor))
            elif const < 0:
                return True
        if len(left) > ROWS:
            raise TooHard(f"more than {ROWS} inequalities")
        if not left:
            return False
        if all(map(_is_difference, left)):
            return _cycle(left)
        new = _eliminated(left)


def _is_difference(terms: tuple[tuple[int, int], ...]) -> bool:
    """Whether a row says of a variable, or of the difference of two, at least or at most which number it is."""
    coefficients = [c for _, c in terms]
    return coefficients in ([1], [-1], [1, -1], [-1, 1])


def _cycle(left: dict[tuple[tuple[int, int], ...], int]) -> bool:
    """Whether differences contradict one another: w ≤ v + const, around a cycle, with a sum below 0.

    No whole numbers meet them then, and otherwise the least sums along paths do: elimination would find the same.
    """
    steps = []
    for terms, const in left.items():
        names = {c: v for v, c in terms}
        steps.append((names.get(1), names.get(-1), const))  # None is 0
    least: dict[int | None, int] = {end: 0 for v, w, _ in steps for end in (v, w)}
    for _ in least:
        before = dict(least)
        for v, w, const in steps:
            least[w] = min(least[w], least[v] + const)
        if least == before:
            return False
    return True


def _eliminated(left: dict[tuple[tuple[int, int], ...], int]) -> list[Row]:
    """Puts away a variable: rows that mention it go, and what follows from each two of them is handed back."""
    signs = {(v, c > 0) for terms in left for v, c in terms}
    free = {v for v, sign in signs if (v, not sign) not in signs}
    if free:  # large or small enough, such a variable makes its rows true
        for terms in [terms for terms in left if not free.isdisjoint([v for v, _ in terms])]:
            del left[terms]
        return []
    ends: dict[int, tuple[list, list]] = {}
    for terms, const in left.items():
        for v, c in terms:
            ends.setdefault(v, ([], []))[c > 0].append((abs(c), terms, const))
    above, below = min(ends.values(), key=lambda rows: len(rows[0]) * len(rows[1]))
    for _, terms, _ in (*above, *below):
        del left[terms]
    new = []
    for p, one, high in above:
        for q, other, low in below:
            total = {v: c * q for v, c in one}
            for v, c in other:
                total[v] = total.get(v, 0) + c * p
            new.append((tuple(sorted([t for t in total.items() if t[1]])), high * q + low * p))
    return new
