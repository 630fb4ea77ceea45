"""Entries read and written at computed places: gather, scatter, slices at places, and writes of them.

Each start is a number that sizes and positions determine case by case, or data. JAX says what becomes of a part that
runs over an end: it is moved inside (`clip`), or is NaN when read and dropped when written (`fill or drop`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from ...statement import along, choices, making, placing
from ...statement.cases import Case
from ...statement.choices import add, both, inverse, multiply
from ...statement.making import constant, full, number
from ...statement.nodes import Node, Positions, Shape
from ...statement.order import nonnegative
from ...statement.rows import in_rows
from ...statement.whole import Axis, Number, Whole, substituted, whole
from ..infinities import Value, common, select, with_odd
from ..refused import Refused
from .lowering import Lowering, Rule
from .values import kind_of


def _component(starts: Node, n: int) -> Node:
    """The n-th number of each start, which stand along the last axis."""
    axes = [whole(Axis(k)) for k in range(len(starts.shape) - 1)]
    return making.take(starts, [*axes, n], starts.shape[:-1])


def _gather(
    at: Lowering,
    a: Value,
    starts: Value,
    *,
    dimension_numbers: Any,
    slice_sizes: Any,
    indices_are_sorted: bool,
    unique_indices: bool,
    mode: Any,
    fill_value: Any,
) -> Value:
    numbers, sizes, shape = dimension_numbers, at.lengths(slice_sizes), at.shape()
    offset = list(numbers.offset_dims)
    batching = tuple(numbers.operand_batching_dims)
    gone = (*numbers.collapsed_slice_dims, *batching)
    inner = [k for k in range(len(a.shape)) if k not in gone]
    batch = [whole(Axis(k)) for k in range(len(shape)) if k not in offset]
    places: list[Number] = [0] * len(a.shape)
    for axis, k in zip(batching, numbers.start_indices_batching_dims, strict=True):
        places[axis] = batch[k]
    for k, axis in zip(offset, inner, strict=True):
        places[axis] = whole(Axis(k))
    clips = "CLIP" in str(mode).upper()
    inside, begins = number(1), []
    for n, axis in enumerate(numbers.start_index_map):
        start, most = _component(starts.node, n), a.shape[axis] - sizes[axis]
        if clips:
            start = placing.clamped(start, most)
        else:
            ends = choices.at_least(start), choices.at_least(choices.subtract(number(most), start))
            across = making.take(both(*ends), batch, shape)
            inside = across if constant(inside) == 1 else both(inside, across)
        begins.append((axis, start))
    read, of_data = _reading(begins, sizes, places, batch, shape)
    outside = inverse(making.spread(inside, shape))
    if of_data and constant(outside) != 0:  # such a place is taken to lie inside, which is said
        at.note("places that inputs determine lie within their arrays")
    if of_data or constant(outside) == 0:
        return _with_masks(a, read)
    if "FILL" not in str(mode).upper() or a.odd is not None:
        raise Refused("a gather that may read outside its array")
    filling = at.constant(math.nan if fill_value is None else fill_value, a.dtype)
    if kind_of(a.dtype) != "f" and fill_value is None:
        raise Refused("a gather of whole numbers that may read outside its array")
    return select(outside, filling, Value(read(a.node), a.dtype))  # type: ignore[arg-type]


def _with_masks(a: Value, read: Callable[[Node], Node]) -> Value:
    found = read(a.node)
    return with_odd(found, a.dtype, common([a]), read(a.where)) if a.odd else Value(found, a.dtype)


def _reading(
    begins: Sequence[tuple[int, Node]],
    sizes: Shape,
    places: Sequence[Number],
    batch: Sequence[Number],
    shape: Shape,
) -> tuple[Callable[[Node], Node], bool]:
    """What reads the parts of an array that begin at places on some axes; and whether inputs determine one of these.

    Args:
        begins: axes, each with the places on it.
        sizes: how long the parts are.
        places: where the first part is read, in the positions of the result.
        batch: which of these the places speak of.
        shape: that of the result.
    """
    cases = [(axis, start, placing.cases_in_axes(start, batch)) for axis, start in begins]
    known = [(axis, found) for axis, _, found in cases if found is not None]
    data = [(axis, start) for axis, start, found in cases if found is None]
    if len(data) > 1 and any(sizes[axis] != 1 for axis, _ in data):
        raise Refused("parts at several places at once that inputs determine")

    def read(node: Node) -> Node:
        if len(data) == 1 and not known and sizes[data[0][0]] == 1:
            axis, start = data[0]
            found = along.entry_at_greatest(node, axis, places, making.take(start, batch, shape))
            if found is not None:
                return found
        if data:
            return _looked_up(node, data, sizes[data[0][0]], places, known, batch, shape)
        return placing.entries(node, places, known, shape)[0]

    return read, any(in_rows(start) is None for _, start in data)


def _looked_up(
    node: Node,
    data: Sequence[tuple[int, Node]],
    size: Number,
    places: Sequence[Number],
    known: placing.Known,
    batch: Sequence[Number],
    shape: Shape,
) -> Node:
    """Entries at places that are data on some axes, which become the first; the others as they are.

    Args:
        data: axes, each with the places on it.
        size: how many entries of each are read along the axis, of one axis.
    """
    axes = [axis for axis, _ in data]
    rest = [k for k in range(len(node.shape)) if k not in axes]
    front = making.permuted(node, [*axes, *rest])
    every = data[0][1]
    for axis, start in data[1:]:
        scaled = multiply(every, number(node.shape[axis]))
        every = add(scaled, start)
    own = list(batch)
    if size != 1:  # each place of the part by itself
        every = choices.add(making.expanded(every, len(every.shape)), Positions(size))
        own.append(places[axes[0]])
    if len(axes) > 1:
        length = making.area(front.shape[: len(axes)])
        front = making.reshaped(front, (length, *front.shape[len(axes) :]))
    looked = placing.looked_up(front, every)
    moved = {k: len(own) + n for n, k in enumerate(rest)}
    there = [*own, *(places[k] for k in rest)]
    cases = [(moved[k], cases) for k, cases in known]
    return placing.entries(looked, there, cases, shape)[0]


def _scatter(combined: Callable[[Node, Node], Node] | None) -> Rule:
    """The rule for parts that are written over an array's, or combined with them."""

    def rule(
        at: Lowering,
        a: Value,
        starts: Value,
        updates: Value,
        *,
        dimension_numbers: Any,
        indices_are_sorted: bool,
        unique_indices: bool,
        mode: Any,
        update_jaxpr: Any = None,
        update_consts: Any = (),
    ) -> Value:
        parts = _parts(a, starts, updates, dimension_numbers, "CLIP" in str(mode).upper())
        if combined is add:
            return at.made(add(a.real, parts.written(updates.real)))
        if not parts.apart():
            raise Refused("several parts written at once, which may overlap")
        if combined is None:
            return _over(a, updates, parts)
        there = parts.written(full(number(1), updates.shape))
        new = combined(a.real, parts.written(updates.real))
        return at.made(add(multiply(a.real, inverse(there)), multiply(there, new)))

    return rule


def _over(a: Value, new: Value, parts: _Parts) -> Value:
    """An array with parts written over it."""
    kept = inverse(parts.written(full(number(1), new.shape)))
    node = add(multiply(a.node, kept), parts.written(new.node))
    odd = common([a, new])
    if not odd:
        return Value(node, a.dtype)
    return with_odd(node, a.dtype, odd, add(multiply(a.where, kept), parts.written(new.where)))


class Part(NamedTuple):
    """Where the parts begin on one axis of an array."""

    axis: int
    start: Node
    cases: list[Case] | None
    """The cases of the start; None where inputs determine it."""
    size: Number
    along: int | None
    """The axis of the parts that runs along it; None where they have one entry there."""


class _Parts:
    """Where parts lie that are written into an array: one for each place of an array of starts.

    Args:
        shape: the array's.
        new: that of all parts.
        places: which entry of the parts comes to a place if they begin at 0; axes behind the array's are the `loose`.
        begins: axes of the array, each with the starts on it and the axis of the parts along it.
        batch: the positions that starts speak of.
        loose: axes of the parts of which each place has a part of its own in the same array.
    """

    def __init__(
        self,
        shape: Shape,
        new: Shape,
        places: list[Number],
        begins: Sequence[tuple[int, Node, int | None]],
        batch: Sequence[Number] = (),
        loose: Sequence[int] = (),
    ) -> None:
        self.shape, self.places, self.loose = shape, places, loose
        self.long = (*shape, *(new[k] for k in loose))
        self.every: list[Part] = []
        self.masks: list[Node] = []
        """1 where a place is the start that inputs determine."""
        for axis, start, along_ in begins:
            cases = placing.cases_in_axes(start, batch)
            size = 1 if along_ is None else new[along_]
            self.every.append(Part(axis, start, cases, size, along_))
            if cases is None:
                if size != 1:
                    raise Refused("a part written at a place that inputs determine")
                here = making.take(Positions(shape[axis]), [whole(Axis(axis))], self.long)
                gap = choices.subtract(making.take(start, batch, self.long), here)
                self.masks.append(choices.vanishing(gap))
            for guards, e in cases or ():  # a part that runs over an end is dropped as a whole
                ends = e, shape[axis] - size - e
                if size != 1 and not all(nonnegative(g, self.long, guards) for g in ends):
                    raise Refused("a part that may be written over an end")

    def written(self, new: Node) -> Node:
        """What the parts write to each place, 0 where they write nothing."""
        by_axis = {one.axis: one for one in self.every}
        known = [(one.axis, one.cases) for one in self.every if one.cases is not None]
        found = full(number(0), self.long)
        for guards, ends in placing.choices_of_cases(known, self.long):
            places, needed = list(self.places), list(guards)
            for axis, start in ends:
                one, place = by_axis[axis], whole(Axis(axis)) - start
                if one.size != self.shape[axis] or start != 0:
                    needed += placing.within(place, one.size)
                if one.along is not None:
                    places[one.along] = place
            for one in self.every:
                if one.cases is None and one.along is not None:
                    places[one.along] = 0
            needed = [g for g in needed if not nonnegative(g, self.long)]
            part = making.take(new, places, self.long, needed)
            found = part if constant(found) == 0 else add(found, part)
        found = reduce(multiply, self.masks, found)
        rank = len(self.shape)
        return along.total(found, range(rank, rank + len(self.loose)))

    def apart(self) -> bool:
        """Whether no two parts are seen to overlap: each loose axis moves the part along an axis of its own."""
        rank = len(self.shape)
        loose = [n for n, length in enumerate(self.long[rank:]) if length != 1]
        every = [Axis(rank + n) for n in loose]

        def moves(axis: Axis, one: Part) -> bool:
            if one.cases is None or len(one.cases) != 1:
                return False
            start = one.cases[0][1]
            spoken = start.symbols if isinstance(start, Whole) else []
            step = substituted(start, {axis: whole(axis) + 1}) - start
            far = nonnegative(step - one.size) or nonnegative(-step - one.size)
            return far and not any(other in spoken for other in every if other != axis)

        return all(any(moves(axis, one) for one in self.every) for axis in every)


def _parts(a: Value, starts: Value, new: Value, numbers: Any, clips: bool) -> _Parts:
    """Where a scatter writes."""
    batching = tuple(numbers.operand_batching_dims)
    batched = tuple(numbers.scatter_indices_batching_dims)
    window = list(numbers.update_window_dims)
    gone = (*numbers.inserted_window_dims, *batching)
    inner = [k for k in range(len(a.shape)) if k not in gone]
    outer = [k for k in range(len(new.shape)) if k not in window]
    loose = [outer[k] for k in range(len(outer)) if k not in batched]
    places: list[Number] = [0] * len(new.shape)
    for axis, k in zip(batching, batched, strict=True):
        places[outer[k]] = whole(Axis(axis))
    for n, k in enumerate(loose):
        places[k] = whole(Axis(len(a.shape) + n))
    for k, axis in zip(window, inner, strict=True):
        places[k] = whole(Axis(axis))
    along_ = dict(zip(inner, window, strict=True))
    begins = []
    for n, axis in enumerate(numbers.scatter_dims_to_operand_dims):
        start, k = _component(starts.node, n), along_.get(axis)
        size = 1 if k is None else new.shape[k]
        start = placing.clamped(start, a.shape[axis] - size) if clips else start
        begins.append((axis, start, k))
    return _Parts(a.shape, new.shape, places, begins, [places[k] for k in outer], loose)


def _begins(a: Value, starts: Sequence[Value], sizes: Shape) -> list[tuple[int, Node]]:
    """Where one part begins on each axis, moved inside; operands behind the starts are lengths."""
    pairs = zip(starts, a.shape, sizes, strict=False)
    return list(enumerate(placing.clamped(one.node, n - size) for one, n, size in pairs))


def _dynamic_slice(at: Lowering, a: Value, *starts: Value, slice_sizes: Any) -> Value:
    sizes = at.lengths(slice_sizes)
    begins = _begins(a, starts, sizes)
    return _with_masks(a, _reading(begins, sizes, making.places_of(sizes), (), sizes)[0])


def _dynamic_update_slice(at: Lowering, a: Value, part: Value, *starts: Value) -> Value:
    begins = [(axis, start, axis) for axis, start in _begins(a, starts, part.shape)]
    return _over(a, part, _Parts(a.shape, part.shape, list(making.places_of(a.shape)), begins))


COMBINED = {"add": add, "mul": multiply, "min": choices.smaller, "max": choices.greater}
"""How parts are combined with what is at their places; releases of JAX spell the primitives in two ways."""

RULES: dict[str, Rule] = {
    "gather": _gather,
    "scatter": _scatter(None),
    **{
        f"scatter{dash}{name}": _scatter(combined)
        for name, combined in COMBINED.items()
        for dash in "-_"
    },
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
}
