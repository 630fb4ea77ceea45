"""Symbolic sizes and positions as Python objects: N + 1, 2*f, comparisons where they are decidable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..kernel.index import Index, as_index, facts, position
from ..kernel.inequalities import implied
from ..search.session import current


class Unreadable(Exception):
    """The claim does something that kernel arrays cannot follow; it stays checked at fixed sizes."""


class Size:
    """A whole number given by an index: a size or a position in a range. It is not an array and not a scalar."""

    __slots__ = ("index",)

    def __init__(self, index: Index) -> None:
        self.index = index

    def __add__(self, other: Any) -> Any:
        return plain(self.index + index(other)) if whole(other) else NotImplemented

    __radd__ = __add__

    def __neg__(self) -> Any:
        return plain(self.index * -1)

    def __sub__(self, other: Any) -> Any:
        return plain(self.index - index(other)) if whole(other) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return plain(index(other) - self.index) if whole(other) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Size):
            raise Unreadable("a product of two symbolic sizes")
        return plain(self.index * other) if type(other) is int else NotImplemented

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        terms = dict(self.index.terms)
        if type(other) is not int or other < 1 or any(c % other for c in terms.values()):
            raise Unreadable("the whole part of a quotient of symbolic sizes")
        return plain(Index(self.index.const // other, {v: c // other for v, c in terms.items()}))

    def __eq__(self, other: object) -> bool:
        if not whole(other):
            return NotImplemented
        gap = self.index - index(other)
        if gap == Index(0):
            return True
        if _known(gap - 1) or _known(gap * -1 - 1):
            return False
        raise Unreadable(f"whether {self} == {other} depends on the sizes")

    __hash__ = None  # type: ignore[assignment]  a set would compare sizes without asking

    def __lt__(self, other: Any) -> bool:
        return decided(index(other) - self.index - 1)

    def __le__(self, other: Any) -> bool:
        return decided(index(other) - self.index)

    def __gt__(self, other: Any) -> bool:
        return decided(self.index - index(other) - 1)

    def __ge__(self, other: Any) -> bool:
        return decided(self.index - index(other))

    def __bool__(self) -> bool:
        return self != 0

    def __index__(self) -> int:
        raise Unreadable(
            "a symbolic size is used as a number by Python itself (range, a list, NumPy)"
        )

    def __repr__(self) -> str:
        return f"Size({self.index!r})"

    def symbolic_range(self, first: Any, last: Any) -> Iterator[Size]:
        """One position that stands for each of first, …, last; see `constructs.ranges.each`."""
        turn = position("t", index(first), index(last) + 1)
        current().loops.append(turn)
        yield Size(turn)


def whole(value: Any) -> bool:
    return type(value) is int or isinstance(value, Size)


def index(value: Any) -> Index:
    return value.index if isinstance(value, Size) else as_index(value)


def plain(value: Index) -> int | Size:
    """A size, or the whole number that it is."""
    return Size(value) if value.terms else value.const


def decided(gap: Index) -> bool:
    """Whether gap ≥ 0.

    Raises:
        Unreadable: if that depends on the sizes.
    """
    if _known(gap):
        return True
    if _known(gap * -1 - 1):
        return False
    raise Unreadable(f"whether {gap!r} ≥ 0 depends on the sizes")


def _known(gap: Index) -> bool:
    return implied(gap, facts(gap.variables()))
