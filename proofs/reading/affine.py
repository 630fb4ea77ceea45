"""Whole numbers that depend on sizes: c + Σ coefficient · symbol, and what can be said of their sign at all sizes.

The cutoff method reads claims with these. It shares nothing with the kernel, so that it is a second road.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from math import gcd
from typing import Any

from .questions import Unreadable, Whole

_numbers = itertools.count()


class NotUniform(Unreadable):
    """The claim does something of which no cutoff is known; it stays checked at fixed sizes."""


class Symbol:
    """A size, any whole number ≥ `low`, or a position with low ≤ it < high along an axis that grows with one size."""

    __slots__ = ("high", "low", "name", "number", "size")

    def __init__(self, name: str, low: Affine, high: Affine | None = None) -> None:
        self.number = next(_numbers)
        self.name, self.low, self.high = name, low, high
        self.size: Symbol = self
        if high is not None:
            self.size = _one_size(low, high)

    @property
    def is_size(self) -> bool:
        return self.high is None

    @property
    def ends(self) -> tuple[Affine, ...]:
        """low, and high if it is a position."""
        return (self.low,) if self.high is None else (self.low, self.high)

    def __lt__(self, other: Symbol) -> bool:
        return self.number < other.number

    def __repr__(self) -> str:
        return self.name if self.is_size else f"{self.name}{self.number}"


class Affine:
    """const + Σ coefficient · symbol, by value; coefficients are whole, but for numbers that a claim divides by."""

    __slots__ = ("const", "terms")

    def __init__(self, const: int | Fraction, terms: Mapping[Symbol, Any] | None = None) -> None:
        self.const = const
        self.terms = tuple(sorted((s, c) for s, c in terms.items() if c)) if terms else ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Affine) and (self.const, self.terms) == (other.const, other.terms)

    def __hash__(self) -> int:
        return hash((self.const, self.terms))

    def __add__(self, other: Affine | int | Fraction) -> Affine:
        if not isinstance(other, Affine):
            return Affine(self.const + other, dict(self.terms))
        terms = dict(self.terms)
        for s, c in other.terms:
            terms[s] = terms.get(s, 0) + c
        return Affine(self.const + other.const, terms)

    def __sub__(self, other: Affine | int | Fraction) -> Affine:
        return self + other * -1

    def __mul__(self, factor: int | Fraction) -> Affine:
        return Affine(self.const * factor, {s: c * factor for s, c in self.terms})

    def __repr__(self) -> str:
        return "".join(f"{c:+}·{s}" for s, c in self.terms) + f"{self.const:+}"

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return tuple(s for s, _ in self.terms)

    def put(self, old: Symbol, new: Affine) -> Affine:
        terms = dict(self.terms)
        c = terms.pop(old, None)
        return self if c is None else Affine(self.const, terms) + new * c

    def tight(self) -> Affine:
        """The strongest e' ≥ 0 that is equivalent to self ≥ 0 in whole numbers."""
        divisor = gcd(*(int(c) for _, c in self.terms)) or 1
        return Affine(int(self.const) // divisor, {s: c // divisor for s, c in self.terms})


def affine(value: Any) -> Affine:
    """A whole number or `Size` as such.

    Raises:
        NotUniform: for anything else.
    """
    if isinstance(value, Affine):
        return value
    if isinstance(value, Size):
        return value.value
    if type(value) is int:
        return Affine(value)
    raise NotUniform(f"a {type(value).__name__} where a whole number is expected")


def of(symbol: Symbol) -> Affine:
    return Affine(0, {symbol: 1})


def _one_size(*ends: Affine) -> Symbol:
    found = {s.size for e in ends for s in e.symbols}
    if len(found) != 1:
        raise NotUniform("a range whose ends do not speak of one size")
    return found.pop()


def least(value: Affine) -> Any:
    """A lower bound at all sizes and positions in their ranges, or None.

    Ranges speak of older symbols only, so that ends are put for the newest position until none is left.
    """
    while value.terms:
        s, c = value.terms[-1]
        if s.high is None:
            break
        value = value.put(s, s.low if c > 0 else s.high - 1)
    if any(c < 0 for _, c in value.terms):
        return None
    return value.const + sum(c * s.low.const for s, c in value.terms)


def nonnegative(value: Affine) -> bool | None:
    """Whether value ≥ 0 always (True), never (False), or neither is seen."""
    low = least(value)
    if low is not None and low >= 0:
        return True
    below = least(value * -1)
    return False if below is not None and below > 0 else None


def surely(value: Affine) -> bool:
    """Whether value ≥ 0.

    Raises:
        NotUniform: if that depends on the sizes.
    """
    found = nonnegative(value)
    if found is None:
        raise NotUniform(f"whether {value} ≥ 0 depends on the sizes")
    return found


class Size(Whole):
    """A size or a position of the second road, given by an affine number."""

    __slots__ = ("value",)
    refusal = NotUniform

    def __init__(self, value: Affine) -> None:
        self.value = value

    @property
    def linear(self) -> Affine:
        return self.value

    @classmethod
    def of(cls, linear: Affine) -> Any:
        return plain(linear)

    @classmethod
    def sum_of(cls, value: Any) -> Affine:
        return affine(value)

    @classmethod
    def sign(cls, linear: Affine) -> bool | None:
        return nonnegative(linear)

    @classmethod
    def name_of(cls, symbol: Symbol) -> str:
        return symbol.name

    def symbolic_range(self, first: Any, last: Any) -> Iterator[Any]:
        """Two turns that stand for all; see `Turns`."""
        return turns.get().loop(affine(first), affine(last))


def plain(value: Affine) -> Any:
    """A size, or the whole number that it is."""
    return Size(value) if value.terms else value.const


class Turns:
    """The loops of a claim's body. A loop has two turns here, so that what is carried from one to the next is seen:

    a statement may speak of the position of a turn only during that turn.
    """

    def __init__(self) -> None:
        self.every: set[Symbol] = set()
        self.running: set[Symbol] = set()

    def loop(self, first: Affine, last: Affine) -> Iterator[Any]:
        for _ in range(2):
            one = Symbol("t", first, last + 1)
            self.every.add(one)
            self.running.add(one)
            yield Size(of(one))
            self.running.discard(one)


turns: ContextVar[Turns] = ContextVar("turns")
"""The loops of the claim that is being read."""
