"""What the arrays of a program are while it is read with symbols for sizes.

Floating-point arrays are kernel arrays of real numbers: rounding is not looked at. Integers are indices, linear in
sizes and positions, since they say where something is read; masks are terms that are 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from ...kernel.index import Index, position
from ...kernel.term import Term, as_term
from ..areas import Area
from ..array import KernelArray, aligned, broadcast, comprehension
from ..questions import Unreadable
from ..simplifying import simplified
from ..terms import number

Place: TypeAlias = Sequence[Index]
Dims: TypeAlias = tuple[Index, ...]


@dataclass(frozen=True)
class Integers:
    """An integer array: the index at each place."""

    dims: Dims
    at: Callable[[Place], Index]
    numbers: KernelArray | None = None
    """The same as real numbers, where an index is not one term for all places."""

    def picked(self, dims: Dims, places: Callable[[Place], Place]) -> Integers:
        """The integers at these places."""
        numbers = None if self.numbers is None else picked(self.numbers, dims, places)
        return Integers(dims, lambda at: self.at(places(at)), numbers)


@dataclass(frozen=True)
class Either(Integers):
    """An integer array that is the one index or the other: at each place a list of (guard ≥ 0, index there)."""

    cases: Callable[[Place], list[tuple[Index, Index]]] = lambda at: []

    def picked(self, dims: Dims, places: Callable[[Place], Place]) -> Either:
        """The integers at these places."""
        found = super().picked(dims, places)
        return Either(dims, found.at, found.numbers, lambda at: self.cases(places(at)))


@dataclass(frozen=True)
class Uniform:
    """An array that is the same at every place."""

    dims: Dims

    def picked(self, dims: Dims, places: Callable[[Place], Place]) -> Any:
        """The same value in another shape."""
        return replace(self, dims=dims)


@dataclass(frozen=True)
class Count(Uniform):
    """A number that is a product of sizes; it says where something begins."""

    length: Area


@dataclass(frozen=True)
class MinusInfinity(Uniform):
    """−∞."""


@dataclass(frozen=True)
class NoNumber(Uniform):
    """NaN or +∞, which may stand in a program and not be computed with."""

    name: str


def is_infinity(value: Any) -> bool:
    """Whether it is +∞ everywhere."""
    return isinstance(value, NoNumber) and value.name == "inf"


@dataclass(frozen=True)
class Mask:
    """A boolean array: the term at each place, 0 or 1."""

    dims: Dims
    at: Callable[[Place], Term]

    def picked(self, dims: Dims, places: Callable[[Place], Place]) -> Mask:
        """The truth values at these places."""
        return Mask(dims, lambda at: self.at(places(at)))


@dataclass(frozen=True)
class Masked:
    """Real where the mask is 1 and −∞ elsewhere."""

    mask: Mask
    array: KernelArray

    @property
    def dims(self) -> Dims:
        """The lengths of the axes."""
        return self.array.dims

    def picked(self, dims: Dims, places: Callable[[Place], Place]) -> Masked:
        """The entries at these places, masked as they were."""
        return Masked(self.mask.picked(dims, places), picked(self.array, dims, places))


def moved(value: Masked | MinusInfinity, by: KernelArray) -> Masked | MinusInfinity:
    """What may be −∞, and a number added to it."""
    _dims, (value, by) = shared(value, by)
    return value if isinstance(value, MinusInfinity) else Masked(value.mask, value.array + by)


class Complex(NamedTuple):
    """A complex array as two real ones (see `complex_numbers`)."""

    real: Any
    imag: Any


class InParts:
    """An array that is kept in parts, for as long as nothing needs it as a whole."""

    def whole(self) -> Any:
        """The array itself."""
        raise NotImplementedError


Value: TypeAlias = KernelArray | Integers | Count | Mask | Masked | MinusInfinity | NoNumber


def picked(value: Any, dims: Dims, places: Callable[[Place], Place]) -> Any:
    """The array of shape `dims` whose entry at a place is the entry of `value` at `places(place)`."""
    if isinstance(value, KernelArray):
        return comprehension(dims, lambda *at: value.entry(list(places(at))))
    return value.picked(dims, places)


def shared(*values: Any) -> tuple[Dims, list[Any]]:
    """The common shape, and the values broadcast to it."""
    dims = broadcast(*(v.dims for v in values))
    return dims, [v if v.dims == dims else _spread(v, dims) for v in values]


def _spread(value: Any, dims: Dims) -> Any:
    return picked(value, dims, lambda at: aligned(value.dims, at))


def reals(value: Any) -> KernelArray:
    """Any value as real numbers.

    Raises:
        Unreadable: for an infinite one.
    """
    if isinstance(value, Integers):
        if value.numbers is not None:
            return value.numbers
        return comprehension(value.dims, lambda *at: number(value.at(at)))
    if isinstance(value, Mask):
        return comprehension(value.dims, lambda *at: value.at(at))
    if isinstance(value, Count):
        return comprehension(value.dims, lambda *at: _number(value.length))
    if isinstance(value, InParts):
        return reals(value.whole())
    if isinstance(value, NoNumber):
        raise Unreadable(f"the number {value.name}")
    if isinstance(value, Complex):
        raise Unreadable("a complex number in the place of a real one")
    if isinstance(value, Masked | MinusInfinity):
        raise Unreadable("arithmetic with −∞ other than exp and maximum")
    return value


def whole(value: Any) -> Any:
    """The array itself, its pieces and its axes joined."""
    return value.whole() if isinstance(value, InParts) else value


def as_mask(array: KernelArray) -> Mask:
    """An array whose entries are 0 or 1 as a mask."""
    return Mask(array.dims, lambda at: array.entry(list(at)))


def _number(of: Area) -> Term:
    found = as_term(0)
    for variables, c in of.parts:
        one = as_term(c)
        for v in variables:
            one = one * number(Index(0, {v: 1}))
        found = found + one
    return found


def constant(value: Mask) -> bool | None:
    """Whether a mask is True, or False, everywhere; None if that depends on the place or is not seen."""
    term = simplified(value.at([position("i", 0, d) for d in value.dims]))
    if not term.parts:
        return False
    return True if term.parts == as_term(1).parts else None
