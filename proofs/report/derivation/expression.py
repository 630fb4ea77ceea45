"""Formulas as they are read: sums with ranges, products, fractions, entries. No kernel, no printing.

Every index is a `Linear`: a whole number plus multiples of letters. A formula is an `Addition` of `Piece`s.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Linear:
    """const + Σ coefficient · letter, in the order in which it is read."""

    const: int = 0
    terms: tuple[tuple[str, int], ...] = ()

    def plus(self, number: int) -> Linear:
        """The same with a number added."""
        return replace(self, const=self.const + number)


@dataclass(frozen=True)
class Whole:
    """An index as a number."""

    of: Linear


@dataclass(frozen=True)
class Entry:
    """X[at]; of a state the entry at a time, which may depend on given positions besides: X_time[at; given]."""

    name: str
    at: tuple[Linear, ...] = ()
    time: Linear | None = None
    given: tuple[Linear, ...] = ()


@dataclass(frozen=True)
class Function:
    """name(of)."""

    name: str
    of: Addition


@dataclass(frozen=True)
class Product:
    """Π of `of` over low ≤ letter < high."""

    letter: str
    low: Linear
    high: Linear
    of: Addition


@dataclass(frozen=True)
class Power:
    """of^exponent; `of` is a factor."""

    of: Any
    exponent: Linear


@dataclass(frozen=True)
class Relation:
    """left sign right, the sign one of = ≤ <."""

    left: Linear
    sign: str
    right: Linear


@dataclass(frozen=True)
class Bracket:
    """1 where all relations hold, else 0."""

    relations: tuple[Relation, ...]


@dataclass(frozen=True)
class Range:
    """low ≤ letter < high; without ends where it has none of its own."""

    letter: str
    low: Linear | None = None
    high: Linear | None = None


@dataclass(frozen=True)
class Piece:
    """coefficient · over / under · Σ_ranges inner_over / inner_under."""

    coefficient: Fraction
    over: tuple[Any, ...] = ()
    under: tuple[Any, ...] = ()
    ranges: tuple[Range, ...] = ()
    inner_over: tuple[Any, ...] = ()
    inner_under: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Addition:
    """The sum of its pieces; 0 if there are none."""

    pieces: tuple[Piece, ...] = ()

    @property
    def is_zero(self) -> bool:
        """Whether it is the empty sum."""
        return not self.pieces


def entry(name: str, *at: Linear) -> Addition:
    """An array's entry as a formula."""
    return single(Entry(name, at))


def single(factor: Any) -> Addition:
    """A formula of one factor."""
    return Addition((Piece(Fraction(1), (factor,)),))
