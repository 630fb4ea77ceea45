"""Rules of operations on memory: entries are loaded from places, and stored at places, that are shown inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...statement import choices, making
from ...statement.nodes import Node
from ...statement.reshaping import reshaped
from ...statement.whole import Number
from .. import infinities
from ..infinities import Value, moved
from .places import Layout
from .table import rule
from .text import Operation
from .values import Any_, Flags, Guards, Ints, Pointer, Reals


@dataclass(frozen=True)
class Array:
    """An array that a launch is given."""

    name: str
    value: Value
    layout: Layout
    is_whole: bool
    """Whether its entries are whole numbers."""


@dataclass(frozen=True)
class Store:
    """What one operation writes, in all turns of the loops around it, whose positions are its first axes."""

    array: int
    offset: Number
    node: Node
    """The entries written."""
    guards: Guards
    """They are written where these are ≥ 0, and the mask is 1."""
    mask: Node | None
    line: str
    order: int
    """Which of the program's operations it is."""
    turns: int = 0
    """How many of the axes are turns of loops."""


@rule("tt.addptr")
def _moved(at: Any, one: Operation, a: Any, b: Any) -> Any_:
    if not isinstance(a, Pointer):
        raise at.refuse("a place that is none in an array")
    return Pointer(a.array, a.offset + at.ints(b).number, a.shape)


def _mask(at: Any, mask: Any, shape: Any) -> Flags:
    return Flags(frozenset(), shape) if mask is None else at.spread(at.flags(mask), shape)


def _places(
    at: Any, pointer: Pointer, guards: Guards, what: str
) -> tuple[Sequence[Number], Layout] | None:
    """The places in an array, or in all its entries side by side.

    Raises:
        Refused: if they are not seen to lie inside.
    """
    layout = at.arrays[pointer.array].layout
    found = layout.places(pointer.offset, at.known, pointer.shape, guards)
    if found is not None:
        return found, layout
    if at.known.within(pointer.offset, layout.count, pointer.shape, guards):
        return None
    array = at.arrays[pointer.array]
    raise at.refuse(
        f"that place {at.said(pointer.offset)} of {array.name}, of {making.shown(layout.lengths)}, which is {what}, "
        f"lies inside is not seen{at.where(guards)}"
    )


@rule("tt.load")
def _loaded(at: Any, one: Operation, pointer: Any, mask: Any = None, other: Any = None) -> Any_:
    if not isinstance(pointer, Pointer):
        raise at.refuse("a place that is none in an array")
    array = at.arrays[pointer.array]
    flags = _mask(at, mask, pointer.shape)
    inside = flags.guards | at.known.path
    pair = _places(at, pointer, inside, "loaded")
    at.loaded.setdefault(pointer.array, at.line)
    always = at.known.always
    guards = frozenset(g for g in inside if not always.nonnegative(g, pointer.shape))

    def taken(node: Node) -> Node:
        if pair is not None:
            return making.take(node, pair[0], pointer.shape, guards)
        flat = reshaped(making.permuted(node, array.layout.order), (array.layout.count,))
        return making.take(flat, [pointer.offset], pointer.shape, guards)

    value = moved(taken, [array.value])
    if array.is_whole:
        number = making.entry_of(value.node)
        if number is None:
            raise at.refuse(f"the whole numbers in {array.name} are data")
        return Ints(number, pointer.shape)
    known = frozenset(g for g in flags.guards if not at.known.nonnegative(g, pointer.shape))
    if mask is None:
        return Reals(value)
    if other is None:
        if flags.mask is not None:
            raise at.refuse("a load under a mask of data that says no other value")
        return Reals(value, known)
    outside = at.reals(at.spread(other, pointer.shape))
    if (
        making.constant(outside.value.node) == 0
        and outside.value.odd is None
        and flags.mask is None
    ):
        return Reals(value, outside.known)
    return Reals(infinities.select(flags.node, value, outside.value), outside.known)


@rule("tt.store")
def _stored(at: Any, one: Operation, pointer: Any, value: Any, mask: Any = None) -> list[Any_]:
    if not isinstance(pointer, Pointer):
        raise at.refuse("a place that is none in an array")
    flags = _mask(at, mask, pointer.shape)
    inside = flags.guards | at.known.path
    _places(at, pointer, inside, "stored")
    value = at.reals(value)
    for guard in value.known:
        if not at.known.nonnegative(guard, pointer.shape, inside):
            raise at.refuse(
                "what was loaded where its mask is false, and is nothing known, is stored"
            )
    if value.value.odd is not None and _is_alive(value.value, inside, pointer.shape):
        raise at.refuse(f"{infinities.said(value.value.odd)} is stored")
    array, turns = pointer.array, 0
    at.stores.append(
        Store(
            array,
            pointer.offset,
            value.value.node,
            inside,
            flags.mask,
            at.line,
            len(at.stores),
            turns,
        )
    )
    return []


def _is_alive(value: Value, guards: Guards, shape: Any) -> bool:
    """Whether entries that are no numbers are stored."""
    here = choices.both(making.take(making.number(1), (), shape, guards), value.where)
    return not infinities.never(here)
