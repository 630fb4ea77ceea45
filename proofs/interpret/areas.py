"""Lengths that are products of sizes, such as the n·C tokens of n chunks of C.

The kernel's indices are linear. An axis with such a length is only kept as the run of axes that it is made of, and cut
into them again: that needs products of lengths compared, and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from ..kernel.index import Index, as_index, declared, facts, name
from ..kernel.inequalities import implied
from .questions import Unreadable

Product: TypeAlias = tuple[int, ...]
"""Variables, sorted; () is 1."""


class Area:
    """A polynomial in sizes, with whole coefficients; as the length of an axis one of degree ≥ 2."""

    # flint's belong to a context that fixes their variables, and these come as a program is read: with a context for
    # each two that meet, a product and a sum take nine times as long, and no fewer lines.

    __slots__ = ("parts",)

    def __init__(self, parts: Mapping[Product, int]) -> None:
        self.parts = frozenset((m, c) for m, c in parts.items() if c)

    def __add__(self, other: Area | int) -> Area:
        found = dict(self.parts)
        for m, c in of(other).parts:
            found[m] = found.get(m, 0) + c
        return Area(found)

    __radd__ = __add__

    def __mul__(self, other: Area | int) -> Area:
        found: dict[Product, int] = {}
        for m, c in self.parts:
            for n, d in of(other).parts:
                both = tuple(sorted((*m, *n)))
                found[both] = found.get(both, 0) + c * d
        return Area(found)

    __rmul__ = __mul__

    def __neg__(self) -> Area:
        return self * -1

    def __sub__(self, other: Area | int) -> Area:
        return self + -other

    def __rsub__(self, other: int) -> Area:
        return other + -self

    def __pow__(self, exponent: int) -> Area:
        return math.prod([self] * exponent, start=Area({(): 1}))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Area) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    def __repr__(self) -> str:
        return spelled(self)

    @property
    def length(self) -> Length:
        """The same as an index, if it is linear."""
        if any(len(m) > 1 for m, _ in self.parts):
            return self
        parts = dict(self.parts)
        return Index(parts.pop((), 0), {m[0]: c for m, c in parts.items()})


Length: TypeAlias = Index | Area


def of(one: Length | int) -> Area:
    """A length as a polynomial."""
    if isinstance(one, Area):
        return one
    found = as_index(one)
    return Area({(): found.const, **{(v,): c for v, c in found.terms}})


def spelled(one: Length | int) -> str:
    """A length as one writes it: "2·N − 1", "n·C"."""
    parts = [(m, c) for m, c in of(one).parts if m]
    const = dict(of(one).parts).get((), 0)
    text = ""
    for symbols, c in sorted(parts, key=lambda part: (-len(part[0]), part[0])):
        product = "·".join(map(name, symbols))
        factor = "" if abs(c) == 1 else f"{abs(c)}·"
        sign = "−" if c < 0 else "+" if text else ""
        text += f" {sign} {factor}{product}" if text else f"{sign}{factor}{product}"
    if not text:
        return str(const)
    return text + (f" {'−' if const < 0 else '+'} {abs(const)}" if const else "")


def shape(dims: Iterable[Length]) -> str:
    """A shape as one writes it: "(T, 2·N)"."""
    return f"({', '.join(map(spelled, dims))})"


def add(a: Length, b: Length, factor: int = 1) -> Length:
    """a + factor · b."""
    if isinstance(a, Index) and isinstance(b, Index):
        return a + b * factor
    return (of(a) + of(b) * factor).length


def times(a: Length, b: Length) -> Length:
    """The product of two lengths."""
    if isinstance(a, Index) and isinstance(b, Index) and not b.terms:
        return a * b.const
    return (of(a) * of(b)).length


def product(lengths: Iterable[Length]) -> Length:
    """The length of axes put together."""
    return math.prod(map(of, lengths), start=of(1)).length


def positive(one: Length, least: int = 1) -> bool:
    """Whether it is seen to be ≥ `least` at all sizes."""
    one = add(one, Index(least), -1)
    if isinstance(one, Index):
        return implied(one, facts(one.variables()))
    above = of(0)  # in what each size is more than its least value
    for m, c in one.parts:
        above += c * math.prod((Area({(): _least(v), (v,): 1}) for v in m), start=of(1))
    return all(c >= 0 for _, c in above.parts)


def _least(of: int) -> int:
    """The number that a size is declared to be at least."""
    single = [-fact.const for fact in declared(of) if fact.terms == ((of, 1),)]
    if not single:
        raise Unreadable("a product of lengths that are not sizes")
    return max(single)


def sign(one: Length) -> bool | None:
    """Whether it is ≥ 0 at all sizes (True), or < 0 at all (False); None if neither is seen."""
    if positive(one, 0):
        return True
    return False if positive(times(one, Index(-1))) else None


STEPS = 12
"""Monomials of a quotient that are tried."""
NEAR = (0, -1, 1, -2, 2)
"""What may be added to it at the end."""


def divided(left: Length, right: Length) -> tuple[Length, Length] | None:
    """q and r with left = q · right + r and 0 ≤ r < right at all sizes; None if none are found."""
    if not positive(right):
        return None
    divisor = of(right)
    for lead, scale in sorted(divisor.parts, reverse=True):
        quotient, rest = of(0), of(left)
        for _ in range(STEPS):
            for more in NEAR:
                found = (rest - divisor * more).length
                if positive(add(right, found, -1)) and positive(found, 0):
                    return (quotient + more).length, found
            part = _reduced(rest, lead, scale)
            if part is None:
                break
            quotient, rest = quotient + part, rest - part * divisor
    return None


def _reduced(rest: Area, lead: Product, scale: int) -> Area | None:
    """A monomial of the quotient by something that begins with scale · lead."""
    for m, c in sorted(rest.parts, key=lambda one: (-len(one[0]), one[0])):
        left = list(m)
        try:
            for v in lead:
                left.remove(v)
        except ValueError:
            continue
        if c % scale == 0 or (not m and c // scale):
            return Area({tuple(left): c // scale})
    return None
