"""Whole numbers that sizes and positions determine: lengths, places, exponents, as polynomials with whole coefficients.

A number without symbols is Python's int; `Whole` is for the others. So shapes are tuples of `int | Whole`, and compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from .interned import Interning


@dataclass(frozen=True, eq=False)
class Size(metaclass=Interning):
    """A size of the claim, any whole number ≥ least."""

    name: str
    least: int

    @property
    def key(self) -> tuple[Any, ...]:
        """How symbols are sorted."""
        return 0, self.name


@dataclass(frozen=True, eq=False)
class Position(metaclass=Interning):
    """A whole number with low ≤ it < high: the variable of a `Build`, of a loop's turns, or of a relation's `each`."""

    mark: int
    """Bound ones are told apart by how many binders at most stand inside theirs; others have marks below 0."""
    low: Number
    high: Number

    @property
    def key(self) -> tuple[Any, ...]:
        """How symbols are sorted."""
        return 1, self.mark

    @property
    def length(self) -> Number:
        """How many values it has."""
        return self.high - self.low

    @property
    def free(self) -> frozenset[Any]:
        """Itself, and the positions that its range speaks of."""
        return frozenset({self}) | free(self.low) | free(self.high)


@dataclass(frozen=True, eq=False)
class Axis(metaclass=Interning):
    """The position along axis `number` of the array in whose definition it stands (`nodes.Take`)."""

    number: int

    @property
    def key(self) -> tuple[Any, ...]:
        """How symbols are sorted."""
        return 2, self.number


Symbol: TypeAlias = Size | Position | Axis
Monomial: TypeAlias = tuple[Symbol, ...]
"""Symbols, sorted; () is 1."""


@dataclass(frozen=True, eq=False)
class Whole(metaclass=Interning):
    """A sum of monomials with whole coefficients, sorted, at least one of them with a symbol."""

    parts: tuple[tuple[Monomial, int], ...]
    free: frozenset[Any] = field(init=False)
    """The positions that it speaks of, also those in the ranges of others."""

    def __post_init__(self) -> None:
        found = [s.free for m, _ in self.parts for s in m if isinstance(s, Position)]
        object.__setattr__(self, "free", frozenset[Any]().union(*found))

    def __add__(self, other: Number) -> Number:
        if isinstance(other, Whole):
            return _total([*self.parts, *other.parts])
        if other == 0:
            return self
        m, c = self.parts[-1]
        if m:  # no constant yet, which stands last
            return Whole((*self.parts, ((), other)))
        return Whole((*self.parts[:-1], ((), c + other)) if c + other else self.parts[:-1])

    __radd__ = __add__

    def __neg__(self) -> Whole:
        return Whole(tuple((m, -c) for m, c in self.parts))

    def __sub__(self, other: Number) -> Number:
        return self + -other

    def __rsub__(self, other: int) -> Number:
        return -self + other

    def __mul__(self, other: Number) -> Number:
        if not isinstance(other, Whole):
            if other in (0, 1):
                return self if other else 0
            return Whole(tuple((m, c * other) for m, c in self.parts))
        return _total(
            [
                (tuple(sorted((*m, *n), key=lambda s: s.key)), c * d)
                for m, c in self.parts
                for n, d in parts(other)
            ]
        )

    __rmul__ = __mul__

    @property
    def symbols(self) -> list[Symbol]:
        """Each symbol once, in order."""
        return sorted({s for m, _ in self.parts for s in m}, key=lambda s: s.key)

    def __repr__(self) -> str:
        return spelled(self)


Number: TypeAlias = int | Whole


@lru_cache(maxsize=50_000)
def whole(symbol: Symbol) -> Whole:
    """A symbol as a number."""
    return Whole((((symbol,), 1),))


def parts(number: Number) -> tuple[tuple[Monomial, int], ...]:
    """The monomials of a number with their coefficients."""
    return number.parts if isinstance(number, Whole) else (((), number),)


def free(number: Number) -> frozenset[Any]:
    """The positions that a number speaks of."""
    return number.free if isinstance(number, Whole) else frozenset()


def _total(every: list[tuple[Monomial, int]]) -> Number:
    found: dict[Monomial, int] = {}
    for m, c in every:
        found[m] = found.get(m, 0) + c
    kept = [(m, c) for m, c in found.items() if c]
    if not any(m for m, _ in kept):
        return kept[0][1] if kept else 0
    return Whole(tuple(sorted(kept, key=lambda part: (-len(part[0]), [s.key for s in part[0]]))))


def at(number: Number, value: Callable[[Symbol], Any]) -> Any:
    """What a number comes to where each symbol has a value, whatever has + and · with whole numbers."""
    if not isinstance(number, Whole):
        return number
    (m, c), *others = number.parts
    if not others and c == 1 and len(m) == 1:
        return value(m[0])
    total: Any = None
    for m, c in number.parts:
        term: Any = None
        for symbol in m:
            term = value(symbol) if term is None else term * value(symbol)
        term = c if term is None else term if c == 1 else term * c
        total = term if total is None else total + term
    return total


def substituted(number: Number, images: Mapping[Any, Any]) -> Number:
    """The number with images for symbols, also for those in the ranges of positions."""
    if not isinstance(number, Whole):
        return number
    return at(number, lambda symbol: image(symbol, images))


def image(symbol: Symbol, images: Mapping[Any, Any]) -> Number:
    """A symbol's image; a position without one whose range changes becomes another position."""
    if symbol in images:
        return images[symbol]
    return whole(moved(symbol, images) if isinstance(symbol, Position) else symbol)


def moved(position: Position, images: Mapping[Any, Any]) -> Position:
    """A position with images for the symbols of its range."""
    if position.free.isdisjoint(images):
        return position
    ends = substituted(position.low, images), substituted(position.high, images)
    return Position(position.mark, *ends)


def spelled(number: Number, name: Callable[[Any], str] | None = None) -> str:
    """A number as one writes it: 2·N − 1."""
    return "".join(_pieces(number, name or _name)) or "0"


def _pieces(number: Number, name: Callable[[Any], str]) -> Iterator[str]:
    for k, (m, c) in enumerate(parts(number)):
        if k:
            yield " − " if c < 0 else " + "
        elif c < 0:
            yield "−"
        factors = [name(symbol) for symbol in m]
        yield "·".join(factors if factors and abs(c) == 1 else [str(abs(c)), *factors])


def _name(symbol: Symbol) -> str:
    if isinstance(symbol, Size):
        return symbol.name
    if isinstance(symbol, Position):
        return f"i{symbol.mark}" if symbol.mark > 0 else "i"  # one whose binder is still open
    return f"axis{symbol.number}"
