"""Symbolic sizes and positions over the kernel's indices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..kernel.index import Index, as_index, facts, name, position
from ..kernel.inequalities import implied
from ..search.session import Loop, current
from .questions import Whole

TURNS = 2
"""A loop is read so many times, with a symbol of its own for each turn, to see what one leaves to the next."""


class Size(Whole):
    """A size or a position in a range, given by an index of the kernel. It is not an array and not a scalar."""

    __slots__ = ("index",)

    def __init__(self, index: Index) -> None:
        self.index = index

    @property
    def linear(self) -> Index:
        return self.index

    @classmethod
    def of(cls, linear: Index) -> int | Size:
        return plain(linear)

    @classmethod
    def sum_of(cls, value: Any) -> Index:
        return index(value)

    @classmethod
    def sign(cls, linear: Index) -> bool | None:
        if _known(linear):
            return True
        return False if _known(linear * -1 - 1) else None

    @classmethod
    def name_of(cls, symbol: int) -> str:
        return name(symbol)

    def symbolic_range(self, first: Any, last: Any) -> Iterator[Size]:
        """One position that stands for each of first, …, last, and another; see `constructs.ranges.each`."""
        loop = Loop([position("t", index(first), index(last) + 1) for _ in range(TURNS)])
        current().loops.append(loop)
        for turn in loop.turns:
            yield Size(turn)
        loop.ended = True


def whole(value: Any) -> bool:
    return type(value) is int or isinstance(value, Size)


def index(value: Any) -> Index:
    return value.index if isinstance(value, Size) else as_index(value)


def plain(value: Index) -> int | Size:
    """A size, or the whole number that it is."""
    return Size(value) if value.terms else value.const


def _known(gap: Index) -> bool:
    return implied(gap, facts(gap.variables()))
