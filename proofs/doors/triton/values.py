"""What the operations of one program speak of: whole numbers, truths, places in memory, and real numbers, in blocks.

A block's positions are `Axis`; programs and turns of loops are `Position`s. Whole numbers are those that sizes and
positions determine, as polynomials.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ...statement import choices, making
from ...statement.nodes import Node
from ...statement.whole import Axis, Number, Whole, substituted, whole
from ..infinities import Value, moved

Guards: TypeAlias = frozenset[Number]
"""Numbers that are all ≥ 0 where something holds."""
Shape: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Ints:
    """Whole numbers, in the positions of the block."""

    number: Number
    shape: Shape = ()


@dataclass(frozen=True)
class Flags:
    """Truths: where all guards are ≥ 0, and a mask of data is 1."""

    guards: Guards
    shape: Shape = ()
    mask: Node | None = None

    @property
    def node(self) -> Node:
        """1 where it is true, else 0."""
        inside = making.take(making.number(1), (), self.shape, self.guards)
        return inside if self.mask is None else choices.both(inside, self.mask)


@dataclass(frozen=True)
class Pointer:
    """Places: so many entries behind the first of an array, which is the launch's argument of this number."""

    array: int
    offset: Number
    shape: Shape = ()


@dataclass(frozen=True)
class Reals:
    """Real numbers, or ±∞; where the guards do not hold, nobody knows which."""

    value: Value
    known: Guards = frozenset()
    """Guards: what was loaded under a mask, and nothing else said, is known where the mask holds."""

    @property
    def shape(self) -> Any:
        """The lengths of the block."""
        return self.value.shape

    @property
    def node(self) -> Node:
        """The entries, which are numbers.

        Raises:
            Refused: if some may be infinite.
        """
        return self.value.real


Any_: TypeAlias = Ints | Flags | Pointer | Reals


def reals(node: Node, known: Iterable[Number] = ()) -> Reals:
    """Real numbers of nodes."""
    return Reals(Value(node, "float"), frozenset(known))


def mentions(number: Number, symbol: Any) -> bool:
    """Whether a number speaks of a symbol."""
    return isinstance(number, Whole) and symbol in number.symbols


def relocated(value: Any_, places: Sequence[Number], shape: Shape) -> Any_:
    """The block whose entries are those at `places`, one number for each axis that it had."""
    images = {Axis(k): place for k, place in enumerate(places)}

    def at(number: Number) -> Number:
        return substituted(number, images)

    match value:
        case Ints():
            return Ints(at(value.number), shape)
        case Pointer():
            return replace(value, offset=at(value.offset), shape=shape)
        case Flags():
            mask = None if value.mask is None else making.take(value.mask, places, shape)
            return Flags(frozenset(map(at, value.guards)), shape, mask)
        case Reals():
            found = moved(lambda one: making.take(one, places, shape), [value.value])
            return Reals(found, frozenset(map(at, value.known)))


def axes_of(shape: Sequence[Any]) -> list[Number]:
    """The positions of a block, as its own."""
    return [whole(Axis(k)) for k in range(len(shape))]
