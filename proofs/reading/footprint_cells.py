"""Cells: what the axes of an array of footprints are made of.

An axis is a row of cells: single entries, and runs of them. A run has as many blocks of `width` entries as an affine
number says; one footprint stands for all its entries. So an array of shape (N + 1, 3) that was put together of an
(N, 3) and a (1, 3) has 2 · 3 cells.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, NamedTuple

from .affine import Affine, NotUniform, Symbol, affine, nonnegative, of, surely
from .footprint import ZERO, Footprint, guarded, put, tied

NOUGHT, ONE = Affine(0), Affine(1)


class Cell(NamedTuple):
    """One entry (without a position), or the blocks 0 ≤ at < count of `width` entries each."""

    count: Affine = ONE
    width: int = 1
    at: Any = None
    """The position of a run, a `Symbol`; None for one entry."""

    @property
    def length(self) -> Affine:
        return self.count * self.width

    def fresh(self) -> Cell:
        return self if self.at is None else run(self.count, self.width)


POINT = Cell()
separate: ContextVar[frozenset[Symbol]] = ContextVar("separate", default=frozenset())
"""Sizes n for which the last c entries of an axis of length n + c are no part of its run."""
Axis = tuple[Cell, ...]


def run(count: Affine, width: int = 1) -> Cell:
    return Cell(count, width, Symbol("i", NOUGHT, count))


def axis_of(length: Any) -> Axis:
    """An axis of this length: entry by entry if that is a number, m + 2n as three runs, n + c as one.

    Where n is to be kept separate n + c is a run of n, and c entries.
    """
    length = affine(length)
    if not surely(length):
        raise NotUniform("a length that is negative")
    if not length.terms:
        return (POINT,) * int(length.const)
    sizes = [(s, c) for s, c in length.terms if s.is_size and c > 0]
    apart = len(sizes) > 1 or sizes[0][1] > 1 or sizes[0][0] in separate.get() if sizes else False
    if not apart or len(sizes) < len(length.terms) or length.const < 0:
        return (run(length),)
    runs = [run(of(s)) for s, c in length.terms for _ in range(c)]
    return (*runs, *(POINT,) * int(length.const))


def starts(axis: Axis) -> list[Affine]:
    found = [NOUGHT]
    for c in axis:
        found.append(found[-1] + c.length)
    return found


def alike(one: Axis, other: Axis) -> bool:
    return [c[:2] for c in one] == [c[:2] for c in other] and [c.at is None for c in one] == [
        c.at is None for c in other
    ]


def merged(one: list[Affine], other: list[Affine]) -> list[Affine]:
    """All ends in their order."""
    found, rest = [], [*one]
    for e in other:
        if e not in rest:
            rest.append(e)
    while rest:
        first = rest[0]
        for e in rest[1:]:
            if not surely(e - first):
                first = e
        found.append(first)
        rest.remove(first)
    return found


def greater(one: Affine, other: Affine) -> Affine:
    """The greater of the two, if that is decided."""
    return other if nonnegative(other - one) else one if surely(one - other) else other


def read(e: Footprint, cell: Cell, rest: Affine) -> Footprint:
    """What stands in the cell at this distance from its start, where that lies in it."""
    if cell.at is None:
        return e if rest == NOUGHT else _only_at(e, rest)
    if any(c % cell.width for _, c in rest.terms):
        raise NotUniform(f"the index {rest} in blocks of {cell.width}")
    e = guarded(guarded(e, rest), cell.length - 1 - rest)
    block = Affine(rest.const // cell.width, {s: c // cell.width for s, c in rest.terms})
    return put(e, cell.at, block)


def _only_at(e: Footprint, rest: Affine) -> Footprint:
    """e · [rest = 0]."""
    v = next((s for s in reversed(rest.symbols) if not s.is_size), None)
    if v is None:
        return guarded(guarded(e, rest), rest * -1)
    c = dict(rest.terms)[v]
    others = rest + of(v) * -c
    if others.const % c or any(d % c for _, d in others.terms):
        if others.terms:
            raise NotUniform(f"where {rest} is 0")
        return ZERO
    target = Affine(-(others.const // c), {s: -(d // c) for s, d in others.terms})
    return tied(e, v, target)


def place_of(axis: Axis, j: int) -> Affine:
    cell = axis[j]
    start = starts(axis)[j]
    if cell.at is None:
        return start
    if cell.width > 1:
        raise NotUniform("blocks where entries are compared")
    return start + of(cell.at)
