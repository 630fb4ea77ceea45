"""The greatest and the least entries along axes, where some may be infinite."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..statement import along, choices, making, placing
from ..statement.choices import negative, select
from ..statement.making import constant, full, number
from ..statement.nodes import Node
from ..statement.order import nonnegative
from ..statement.turns import turned
from ..statement.whole import Axis, whole
from .infinities import Value, greater_of, smaller_of, with_odd
from .refused import Refused


def extreme(a: Value, axes: Iterable[int], largest: bool) -> Value:
    """The greatest entry along axes, or the least; −∞ is no greatest where there is a number.

    Raises:
        Refused: if ∞ may be among entries of which the greatest is wanted, or NaN.
        IllFormed: if there may be no entry.
    """
    for axis in sorted(axes, reverse=True):
        a = _along(a, axis, largest)
    return a


def _along(a: Value, axis: int, largest: bool) -> Value:
    least = -math.inf if largest else math.inf
    if a.odd is not None and a.odd.number != least:
        raise Refused("the greatest of numbers and ∞, or NaN")
    node = a.node if largest else negative(a.node)
    if a.odd is None:
        found = along.greatest(node, [axis])
        return replace(a, node=found if largest else negative(found))
    place = _unmasked(a.odd.where, axis)
    if place is None:
        return _one_by_one(a, axis, largest, least)
    there = _entries(node, axis, place)
    found = along.greatest(select(a.odd.where, there, node), [axis])
    return Value(found if largest else negative(found), a.dtype)


def _entries(node: Node, axis: int, place: Any) -> Node:
    """The array with the entry at one place along an axis everywhere along it."""
    places = list(making.places_of(node.shape))
    places[axis] = place
    return making.take(node, places, node.shape)


def _unmasked(where: Node, axis: int) -> Any:
    """A place along an axis where a mask is seen to be 0: the first, the last, or the place on another axis."""
    length = where.shape[axis]
    others = [whole(Axis(k)) for k in range(len(where.shape)) if k != axis]
    for place in (0, length - 1, *others):
        ends = placing.within(place, length)
        if all(nonnegative(end, where.shape) for end in ends):
            here = choices.above(_entries(where, axis, place))
            if constant(here) == 0:
                return place
    return None


def _one_by_one(a: Value, axis: int, largest: bool, least: float) -> Value:
    """Where every entry along an axis may be −∞: a loop that carries the greatest, and whether there is one."""
    assert a.odd is not None
    rows, masks = along.first(a.node, axis), along.first(a.odd.where, axis)
    pick = greater_of if largest else smaller_of

    def turn(time: Any, before: Any) -> Any:
        best, none = before
        one = with_odd(best, a.dtype, least, none)
        here = making.row(rows, time), making.row(masks, time)
        both = pick(a.dtype, one, with_odd(here[0], a.dtype, least, here[1]))
        return [both.node, both.where], []

    if not nonnegative(rows.shape[0] - 1):
        raise Refused("the greatest of entries of which there may be none")
    shape = rows.shape[1:]
    start = full(number(0), shape), full(number(1), shape)
    states = turned(turn, start, rows.shape[0]).states
    node, none = (making.row(one, rows.shape[0]) for one in states)
    return with_odd(node, a.dtype, least, none)
