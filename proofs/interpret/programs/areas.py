"""Lengths that are products of sizes, such as the n·C tokens of n chunks of C.

The kernel's indices are linear. An axis with such a length is only kept as the run of axes that it is made of, and cut
into them again: that needs products of lengths compared, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from ...kernel.index import Index, declared, facts
from ...kernel.inequalities import implied
from ..questions import Unreadable

Product: TypeAlias = tuple[int, ...]
"""Variables, sorted; () is 1."""


class Area:
    """A polynomial of degree ≥ 2 in sizes, with whole coefficients."""

    __slots__ = ("parts",)

    def __init__(self, parts: Mapping[Product, int]) -> None:
        self.parts = frozenset((m, c) for m, c in parts.items() if c)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Area) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    def __repr__(self) -> str:
        return " ".join(f"{c:+d}·{'·'.join(str(v) for v in m)}" for m, c in sorted(self.parts))


Length: TypeAlias = Index | Area


def _parts(one: Length) -> dict[Product, int]:
    if isinstance(one, Area):
        return dict(one.parts)
    found: dict[Product, int] = {(v,): c for v, c in one.terms}
    return {**found, **({(): one.const} if one.const else {})}


def _length(parts: Mapping[Product, int]) -> Length:
    kept = {m: c for m, c in parts.items() if c}
    if any(len(m) > 1 for m in kept):
        return Area(kept)
    return Index(kept.pop((), 0), {m[0]: c for m, c in kept.items()})


def add(a: Length, b: Length, factor: int = 1) -> Length:
    """a + factor · b."""
    found = _parts(a)
    for m, c in _parts(b).items():
        found[m] = found.get(m, 0) + factor * c
    return _length(found)


def times(a: Length, b: Length) -> Length:
    found: dict[Product, int] = {}
    for m, c in _parts(a).items():
        for n, d in _parts(b).items():
            both = tuple(sorted((*m, *n)))
            found[both] = found.get(both, 0) + c * d
    return _length(found)


def product(lengths: Iterable[Length]) -> Length:
    """The length of axes put together."""
    found: Length = Index(1)
    for d in lengths:
        found = times(found, d)
    return found


def positive(one: Length, least: int = 1) -> bool:
    """Whether it is seen to be ≥ `least` at all sizes."""
    one = add(one, Index(least), -1)
    if isinstance(one, Index):
        return implied(one, facts(one.variables()))
    above = one  # in what each size is more than its least value
    for v in {v for m, _ in one.parts for v in m}:
        above = _put(above, v, Index(_least(v), {v: 1}))
    return all(c >= 0 for c in _parts(above).values())


def _put(one: Length, of: int, image: Index) -> Length:
    found: Length = Index(0)
    for m, c in _parts(one).items():
        factors = [image if v == of else Index(0, {v: 1}) for v in m]
        found = add(found, product(factors), c)
    return found


def _least(of: int) -> int:
    """The number that a size is declared to be at least."""
    single = [-fact.const for fact in declared(of) if fact.terms == ((of, 1),)]
    if not single:
        raise Unreadable("a product of lengths that are not sizes")
    return max(single)


STEPS = 12
"""Monomials of a quotient that are tried."""


def divided(left: Length, right: Length) -> tuple[Length, Length] | None:
    """q and r with left = q · right + r and 0 ≤ r < right at all sizes; None if none are found."""
    if not positive(right):
        return None
    for lead, scale in sorted(_parts(right).items(), reverse=True):
        quotient: Length = Index(0)
        rest = left
        for _ in range(STEPS):
            if _within(rest, right):
                return quotient, rest
            found = _reduced(rest, lead, scale)
            if found is None:
                break
            quotient = add(quotient, found)
            rest = add(rest, times(found, right), -1)
    return None


def _within(rest: Length, right: Length) -> bool:
    return positive(add(right, rest, -1)) and positive(rest, 0)


def _reduced(rest: Length, lead: Product, scale: int) -> Length | None:
    """A monomial of the quotient by something that begins with scale · lead."""
    for m, c in sorted(_parts(rest).items(), key=lambda one: (-len(one[0]), one[0])):
        left = list(m)
        try:
            for v in lead:
                left.remove(v)
        except ValueError:
            continue
        if c % scale == 0:
            return _length({tuple(left): c // scale})
    return None
