"""Which sizes would have to be told apart for a question about them to have one answer in each case."""

from __future__ import annotations

import math

from ..kernel import index as declarations
from ..kernel.index import Index
from ..language.partition import Number, Order, Remainder, Split
from .areas import Area, Length


def by_sign(gap: Length | None) -> Split | None:
    """The cases in each of which a length is negative, 0 or positive throughout; None if none are seen."""
    if gap is None or isinstance(gap, Area) or not _of_sizes(gap):
        return None
    if len(gap.terms) == 1:
        ((v, c),) = gap.terms
        return Number(declarations.name(v), -gap.const // c if c > 0 else gap.const // -c)
    if len(gap.terms) == 2 and sorted(c for _, c in gap.terms) == [-1, 1]:
        one, other = (declarations.name(v) for v, _ in gap.terms)
        return Order(one, other)
    return None


def by_remainder(left: Length, right: Length) -> Split | None:
    """The cases in each of which a length divided by a number leaves one remainder."""
    if isinstance(left, Area) or isinstance(right, Area) or right.terms or not _of_sizes(left):
        return None
    for v, c in left.terms:
        by = abs(right.const) // math.gcd(c, right.const) if right.const else 0
        if by > 1:
            return Remainder(declarations.name(v), by)
    return None


def _of_sizes(length: Index) -> bool:
    return length.variables() <= declarations.current.sizes
