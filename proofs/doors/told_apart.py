"""Which sizes have to be told apart for a question about them to have one answer in each case."""

from __future__ import annotations

import math

from ..language.partition import Number, Order, Remainder, Split
from ..statement.whole import Size, Whole
from .refused import Depends


def cases(depends: Depends | None) -> Split | None:
    """The cases in each of which what a program asks has one answer; None if none are seen."""
    if depends is None or not isinstance(depends.number, Whole):
        return None
    terms = {m: c for m, c in depends.number.parts if m}
    constant = dict(depends.number.parts).get((), 0)
    if not all(len(m) == 1 and isinstance(m[0], Size) for m in terms):
        return None
    sizes = [(m[0].name, c) for m, c in terms.items() if isinstance(m[0], Size)]
    if depends.by is not None:
        return _by_remainder(sizes, depends.by)
    if len(sizes) == 1:
        ((name, c),) = sizes
        return Number(name, -constant // c if c > 0 else constant // -c)
    if len(sizes) == 2 and sorted(c for _, c in sizes) == [-1, 1]:
        (one, _), (other, _) = sizes
        return Order(one, other)
    return None


def _by_remainder(sizes: list[tuple[str, int]], by: int | Whole) -> Split | None:
    if isinstance(by, Whole):
        return None
    for name, c in sizes:
        parts = abs(by) // math.gcd(c, by) if by else 0
        if parts > 1:
            return Remainder(name, parts)
    return None
