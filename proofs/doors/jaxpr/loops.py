"""Loops: a turn is lowered once, on carries of which nothing is known, and holds at all times.

A real array is a state of the loop. A whole number that grows by the same in each turn is no state: it is seen by the
turn itself, which is the step of an induction. Where a carry may be −∞, that is a mask beside it, of the first turn
alone or a state of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...statement import choices, making
from ...statement.making import constant, full, number
from ...statement.nodes import Node
from ...statement.order import nonnegative
from ...statement.reshaping import reshaped
from ...statement.turns import turned
from ...statement.whole import Number, Position, Whole
from ..infinities import Odd, Value, moved, with_odd
from ..refused import Refused
from .values import Array, kind_of, paired, parts

UNROLLED = 8
"""The number of turns up to which a loop is lowered turn by turn."""


class Slot(NamedTuple):
    """How a real, whole or boolean array is carried from turn to turn."""

    start: Value
    step: Number | None = None
    """A whole number that grows by this in each turn, and is no state."""
    odd: str = ""
    """How it is carried where there is no number: "state" as a mask of its own, "first" before the first turn alone."""

    def states(self) -> list[Node]:
        """What it is carried as, at the start."""
        if self.step is not None:
            return []
        return [self.start.node, *([self.start.where] if self.odd == "state" else [])]

    def at(self, time: Number, states: Sequence[Node]) -> Value:
        """The array at a time."""
        if self.step is not None:
            return replace(self.start, node=choices.add(self.start.node, number(self.step * time)))
        if not self.odd:
            return replace(self.start, node=states[0])
        where = states[1] if self.odd == "state" else self._first(time)
        return with_odd(states[0], self.start.dtype, self.start.odd.number, where)  # type: ignore[union-attr]

    def _first(self, time: Number) -> Node:
        before = choices.inverse(choices.at_least(number(time - 1)))
        return choices.multiply(before, self.start.where)


class _Again(Exception):
    """A turn that carries an array in another way than was thought."""

    def __init__(self, slot: int, new: Slot) -> None:
        super().__init__()
        self.slot, self.new = slot, new


Body = Callable[[Number, list[Any]], tuple[list[Any], list[Any]]]
"""(time, carries) -> (carries afterwards, outputs)."""


class Looped(NamedTuple):
    """What comes of a loop."""

    last: list[Any]
    outputs: list[Any]
    slots: list[Slot]
    every: list[Any]
    """Each carry at all times, where it is a state that is a number at all of them; else empty."""


def looped(body: Body, start: Sequence[Array], length: Number) -> Looped:
    """A loop, its turn lowered once, or turn by turn where there are few."""
    if isinstance(length, int) and length <= UNROLLED:
        return _unrolled(body, start, length)
    slots = [_slot(one) for one in _begun(body, start, length)]
    for _ in range(TRIALS * (1 + len(slots))):
        try:
            return _turned(body, start, slots, length)
        except _Again as again:
            slots[again.slot] = again.new
    raise Refused("a loop that carries whole numbers in a way that is not seen")


TRIALS = 4


def _slot(one: Value) -> Slot:
    scalar = kind_of(one.dtype) == "i" and not one.shape and making.entry_of(one.node) is not None
    return Slot(one, 1 if scalar else None, "first" if one.odd is not None else "")


def _begun(body: Body, start: Sequence[Array], length: Number) -> list[Value]:
    """The start, with a number for −∞ where the first turn makes the same of both: max(−∞, x) is max(x, x)."""
    flat = parts(start)
    least = [k for k, one in enumerate(flat) if one.odd and constant(one.odd.where) == 1]
    if not least or not nonnegative(length - 1):
        return flat
    try:
        once = [parts(one) for one in body(0, list(start))]
        begun = [once[0][k] if k in least else one for k, one in enumerate(flat)]
        again = [parts(one) for one in body(0, paired(begun, start))]
    except Refused:
        return flat
    return begun if once == again else flat


def _unrolled(body: Body, start: Sequence[Array], length: int) -> Looped:
    carry, rows = list(start), []
    for k in range(length):
        carry, outputs = body(k, carry)
        rows.append(parts(outputs))
        like = outputs
    if not rows:
        return Looped(carry, [], [], [])
    stacked = [
        moved(lambda *every: making.stacked(every), list(one)) for one in zip(*rows, strict=True)
    ]
    return Looped(carry, paired(stacked, like), [], [])


def _turned(body: Body, start: Sequence[Array], slots: list[Slot], length: Number) -> Looped:
    made: list[Any] = []

    def carried(time: Number, states: Sequence[Node]) -> list[Value]:
        rest = iter(states)
        return [one.at(time, [next(rest) for _ in one.states()]) for one in slots]

    def turn(time: Number, states: Sequence[Node]) -> tuple[list[Node], list[Node]]:
        before = carried(time, states)
        after, outputs = body(time, paired(before, start))
        steps: list[Node] = []
        for k, (slot, old, new) in enumerate(zip(slots, before, parts(after), strict=True)):
            _expect(k, slot, old, new)
            if slot.step is None:
                steps += [new.node, *([new.where] if slot.odd == "state" else [])]
        made[:] = outputs
        return steps, [node for one in parts(outputs) for node in _nodes(one)]

    begin = [_without_units(node) for one in slots for node in one.states()]
    shapes = [node.shape for one in slots for node in one.states()]

    def plain(time: Number, states: Sequence[Node]) -> tuple[list[Node], list[Node]]:
        given = [_in_shape(one, shape) for one, shape in zip(states, shapes, strict=True)]
        after, outputs = turn(time, given)
        return [_without_units(one) for one in after], outputs

    found = turned(plain, begin, length)
    ends = [making.row(one, length) for one in found.states]
    last = carried(length, [_in_shape(one, s) for one, s in zip(ends, shapes, strict=True)])
    rest = iter(found.outputs)
    outputs = [
        replace(one, node=next(rest), odd=one.odd and Odd(one.odd.number, next(rest)))
        for one in parts(made)
    ]
    every = []
    if all(one.step is None and not one.odd for one in slots):
        times = [(one.shape[0], *s) for one, s in zip(found.states, shapes, strict=True)]
        whole_ones = zip(slots, found.states, times, strict=True)
        every = [replace(one.start, node=_in_shape(node, s)) for one, node, s in whole_ones]
    return Looped(paired(last, start), paired(outputs, made), slots, every)


def _nodes(one: Value) -> list[Node]:
    return [one.node] if one.odd is None else [one.node, one.odd.where]


def _without_units(node: Node) -> Node:
    """The array without axes of length 1, along which a state has no place of its own."""
    return _in_shape(node, tuple(n for n in node.shape if n != 1))


def _in_shape(node: Node, shape: Any) -> Node:
    return node if node.shape == tuple(shape) else reshaped(node, tuple(shape))


def _expect(k: int, slot: Slot, before: Value, after: Value) -> None:
    """That a turn carries an array as its slot says.

    Raises:
        _Again: if it does not.
    """
    if slot.step is not None:
        ends = making.entry_of(after.node), making.entry_of(before.node)
        gap = None if None in ends else ends[0] - ends[1]  # type: ignore[operator]
        if isinstance(gap, Whole) and any(isinstance(one, Position) for one in gap.symbols):
            gap = None
        if gap != slot.step:
            raise _Again(k, slot._replace(step=gap))
    elif after.odd is not None and not slot.odd:
        odd = Odd(after.odd.number, full(number(0), slot.start.shape))
        raise _Again(k, slot._replace(start=replace(slot.start, odd=odd), odd="state"))
    elif after.odd is not None and slot.odd == "first":
        raise _Again(k, slot._replace(odd="state"))
    elif after.odd is not None and after.odd.number != slot.start.odd.number:  # type: ignore[union-attr]
        raise Refused(f"a loop that carries {after.odd.number} and {slot.start.odd}")
