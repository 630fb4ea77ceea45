"""Entries read and written at computed places: gather, scatter, slices at places, and writes of them.

Each start is a number that sizes and positions determine case by case, or data. JAX says what becomes of a part that
runs over an end: it is moved inside (`clip`), or is NaN when read and dropped when written (`fill or drop`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from ...statement import along, choices, making, placing
from ...statement.cases import Case, Guards, by_cases
from ...statement.choices import add, both, inverse, multiply, select
from ...statement.making import constant, full, number
from ...statement.nodes import Lookup, Node, Positions, Shape
from ...statement.order import excluded, nonnegative
from ...statement.whole import Axis, Number, Whole, substituted, whole
from ..refused import Refused
from .lowering import Lowering, Rule
from .values import Value, common, with_odd


def _component(starts: Node, n: int) -> Node:
    """The n-th number of each start, which stand along the last axis."""
    axes = [whole(Axis(k)) for k in range(len(starts.shape) - 1)]
    return making.take(starts, [*axes, n], starts.shape[:-1])


def _moved_inside(start: Node, most: Number) -> Node:
    return placing.clamped(start, most)


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
    inside: list[Node] = []
    chosen: list[tuple[int, Node, list[Case] | None]] = []
    for n, axis in enumerate(numbers.start_index_map):
        start, most = _component(starts.node, n), a.shape[axis] - sizes[axis]
        if clips:
            start = _moved_inside(start, most)
        elif "FILL" in str(mode).upper():
            ends = choices.at_least(start), choices.at_least(choices.subtract(number(most), start))
            inside.append(both(*ends))
        chosen.append((axis, start, placing.cases_in_axes(start, batch)))
    data = [(axis, start) for axis, start, cases in chosen if cases is None]
    if len(data) > 1 and any(sizes[axis] != 1 for axis, _ in data):
        raise Refused("parts at several places at once that inputs determine")
    where = number(1)
    for one in inside:
        across = making.take(one, batch, shape)
        where = across if constant(where) == 1 else both(where, across)
    known = [(axis, cases) for axis, _, cases in chosen if cases is not None]

    def read(node: Node) -> Node:
        if data:
            size = sizes[data[0][0]]
            return _looked_up(node, data, size, places, known, batch, shape)
        return _read(node, places, known, shape)

    found = read(a.node)
    outside = inverse(where) if inside else full(number(0), shape)
    if constant(outside) == 0:
        return _with_masks(a, found, read)
    if data:  # a place that is data is taken to lie inside, which is said
        at.here("places that inputs determine lie within their arrays")
        return _with_masks(a, found, read)
    filling = fill_value
    if filling is None and a.kind != "f":
        raise Refused("a gather that may read outside its array")
    if filling is not None and math.isfinite(filling):
        node = select(outside, full(literal(at, filling), shape), found)
        return with_odd(
            node, a.dtype, common([a]), select(outside, full(number(0), shape), read(a.where))
        )
    if a.odd is not None:
        raise Refused("a gather that may read outside its array, which has infinite numbers")
    return with_odd(found, a.dtype, math.nan if filling is None else filling, outside)


def literal(at: Lowering, value: Any) -> Node:
    """A number of the program."""
    found = at.constant(value)
    assert isinstance(found, Value)
    return found.node


def _with_masks(a: Value, found: Node, read: Any) -> Value:
    return with_odd(found, a.dtype, common([a]), read(a.where)) if a.odd else Value(found, a.dtype)


Known = list[tuple[int, list[Case]]]


def _choices(known: Known, shape: Shape) -> list[tuple[Guards, list[tuple[int, Number]]]]:
    """Every choice of a case for each axis that may hold."""
    found = []
    for every in itertools.product(*[cases for _, cases in known]):
        guards = frozenset[Number]().union(*[g for g, _ in every])
        guards = frozenset(g for g in guards if not nonnegative(g, shape))
        if not excluded(guards, shape):
            ends = [(axis, e) for (axis, _), (_, e) in zip(known, every, strict=True)]
            found.append((guards, ends))
    return found


def _read(node: Node, places: Sequence[Number], known: Known, shape: Shape) -> Node:
    parts: list[Node] = []
    for guards, ends in _choices(known, shape):
        here = list(places)
        for axis, start in ends:
            here[axis] = here[axis] + start
        bounds = [g for p, n in zip(here, node.shape, strict=True) for g in placing.within(p, n)]
        needed = [g for g in bounds if not nonnegative(g, shape, guards)]
        parts.append(making.take(node, here, shape, [*guards, *needed]))
    found = parts[0] if parts else full(number(0), shape)
    for part in parts[1:]:
        found = add(found, part)
    return found


def _looked_up(
    node: Node,
    data: Sequence[tuple[int, Node]],
    size: Number,
    places: Sequence[Number],
    known: Known,
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
    looked = Lookup(front, every)
    moved = {k: len(own) + n for n, k in enumerate(rest)}
    there = [*own, *(places[k] for k in rest)]
    return _read(looked, there, [(moved[k], cases) for k, cases in known], shape)


def _scatter(adds: bool) -> Rule:
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
        windows = _Windows(at, a, starts, updates, dimension_numbers, mode)
        if adds:
            return at.made(add(a.real, windows.written(updates.real)))
        if not windows.apart():
            raise Refused("several parts written at once, which may overlap")
        covered = windows.written(full(number(1), updates.shape))
        node = _over(a.node, covered, windows.written(updates.node))
        odd = common([a, updates])
        if not odd:
            return Value(node, at.dtype())
        where = _over(a.where, covered, windows.written(updates.where))
        return with_odd(node, at.dtype(), odd, where)

    return rule


def _over(kept: Node, covered: Node, written: Node) -> Node:
    return add(multiply(kept, inverse(covered)), written)


class _Windows:
    """Where the parts lie that are written: one for each place of an array of starts."""

    def __init__(self, at: Lowering, a: Value, starts: Value, new: Value, numbers: Any, mode: Any):
        self.shape, self.new = a.shape, new.shape
        batching = tuple(numbers.operand_batching_dims)
        batched = tuple(numbers.scatter_indices_batching_dims)
        window = list(numbers.update_window_dims)
        gone = (*numbers.inserted_window_dims, *batching)
        inner = [k for k in range(len(a.shape)) if k not in gone]
        outer = [k for k in range(len(new.shape)) if k not in window]
        self.loose = [outer[k] for k in range(len(outer)) if k not in batched]
        """Axes of the parts of which each place has a part of its own in the same array."""
        rank = len(a.shape)
        axes = {k: whole(Axis(rank + n)) for n, k in enumerate(self.loose)}
        self.long = (*a.shape, *(new.shape[k] for k in self.loose))
        places: list[Number] = [0] * len(new.shape)
        for axis, k in zip(batching, batched, strict=True):
            places[outer[k]] = whole(Axis(axis))
        for k, place in axes.items():
            places[k] = place
        for k, axis in zip(window, inner, strict=True):
            places[k] = whole(Axis(axis))
        width = {axis: new.shape[k] for k, axis in zip(window, inner, strict=True)}
        batch = [places[k] for k in outer]
        self.places, self.data, self.known = places, [], []
        self.within: list[Number] = []
        self.starts: list[tuple[list[Case] | None, Number]] = []
        for n, axis in enumerate(numbers.scatter_dims_to_operand_dims):
            start, size = _component(starts.node, n), width.get(axis, 1)
            if "CLIP" in str(mode).upper():
                start = _moved_inside(start, a.shape[axis] - size)
            cases = placing.cases_in_axes(start, batch)
            self.starts.append((cases, size))
            if cases is None:
                if size != 1:
                    raise Refused("a part written at a place that inputs determine")
                gap = choices.subtract(making.take(start, batch, self.long), self._axis(axis))
                self.data.append(choices.vanishing(gap))
                self.known.append((axis, window_of(window, inner, axis), None, size))
                continue
            for guards, e in cases:  # a part that runs over an end is dropped as a whole
                ends = e, a.shape[axis] - size - e
                if size != 1 and not all(nonnegative(g, self.long, guards) for g in ends):
                    raise Refused("a part that may be written over an end")
            self.known.append((axis, window_of(window, inner, axis), cases, size))

    def _axis(self, axis: int) -> Node:
        return making.take(Positions(self.shape[axis]), [whole(Axis(axis))], self.long)

    def written(self, part: Node) -> Node:
        """What the parts write to each place, 0 where they write nothing."""
        known = [(axis, cases) for axis, _, cases, _ in self.known if cases is not None]
        windows = {axis: k for axis, k, *_ in self.known}
        sizes = {axis: size for axis, *_, size in self.known}
        parts = []
        for guards, ends in _choices(known, self.long):
            places, needed = list(self.places), list(guards)
            for axis, start in ends:
                place = whole(Axis(axis)) - start
                needed += placing.within(place, sizes[axis])
                if windows[axis] is not None:
                    places[windows[axis]] = place
            for _, k, cases, _ in self.known:
                if cases is None and k is not None:
                    places[k] = 0
            needed = [g for g in needed if not nonnegative(g, self.long)]
            parts.append(making.take(part, places, self.long, needed))
        found = parts[0] if parts else full(number(0), self.long)
        for one in parts[1:]:
            found = add(found, one)
        for mask in self.data:
            found = multiply(found, mask)
        rank = len(self.shape)
        return along.total(found, range(rank, rank + len(self.loose)))

    def apart(self) -> bool:
        """Whether no two parts are seen to overlap: each loose axis moves the part along an axis of its own."""
        rank = len(self.shape)
        for n, _ in enumerate(self.loose):
            axis = Axis(rank + n)
            steps = []
            for cases, size in self.starts:
                if cases is None or len(cases) != 1:
                    continue
                start = cases[0][1]
                step = substituted(start, {axis: whole(axis) + 1}) - start
                others = [Axis(rank + m) for m in range(len(self.loose)) if m != n]
                spoken = start.symbols if isinstance(start, Whole) else []
                if not any(one in spoken for one in others):
                    steps += [nonnegative(step - size) or nonnegative(-step - size)]
            if not any(steps):
                return False
        return True


def window_of(window: Sequence[int], inner: Sequence[int], axis: int) -> int | None:
    """The axis of the parts that runs along an axis of the array, if one does."""
    return next((k for k, own in zip(window, inner, strict=True) if own == axis), None)


def _dynamic_slice(at: Lowering, a: Value, *starts: Value, slice_sizes: Any) -> Value:
    """A part, moved inside; operands behind the starts are its lengths."""
    sizes = at.lengths(slice_sizes)
    places = list(making.places_of(sizes))
    begins = [
        _moved_inside(one.node, n - size)
        for one, n, size in zip(starts, a.shape, sizes, strict=False)
    ]
    cases = [placing.cases_in_axes(one, []) for one in begins]
    known = [(axis, found) for axis, found in enumerate(cases) if found is not None]
    data = [(axis, begins[axis]) for axis, found in enumerate(cases) if found is None]
    if len(data) > 1:
        raise Refused("a slice at several places that inputs determine")

    def read(node: Node) -> Node:
        if not data:
            return _read(node, places, known, sizes)
        return _looked_up(node, data, sizes[data[0][0]], places, known, [], sizes)

    return _with_masks(a, read(a.node), read)


def _dynamic_update_slice(at: Lowering, a: Value, part: Value, *starts: Value) -> Value:
    begins = [
        _moved_inside(one.node, n - size)
        for one, n, size in zip(starts, a.shape, part.shape, strict=True)
    ]
    cases = [placing.cases_in_axes(one, []) for one in begins]
    masks: list[Node] = []
    known: Known = []
    for axis, (found, size) in enumerate(zip(cases, part.shape, strict=True)):
        if found is not None:
            known.append((axis, found))
            continue
        if size != 1:
            raise Refused("a part written at a place that inputs determine")
        gap = choices.subtract(Positions(a.shape[axis]), begins[axis])
        masks.append(making.take(choices.vanishing(gap), [whole(Axis(axis))], a.shape))

    def written(node: Node) -> Node:
        def make(_: Number, guards: Guards) -> Node:
            places = list(making.places_of(a.shape))
            needed = list(guards)
            for axis, start in dict(ends_of[guards]).items():
                places[axis] = places[axis] - start
                if node.shape[axis] != a.shape[axis]:
                    needed += placing.within(places[axis], node.shape[axis])
            for axis, found in enumerate(cases):
                if found is None:
                    places[axis] = 0
            needed = [g for g in needed if not nonnegative(g, a.shape)]
            return making.take(node, places, a.shape, needed)

        ends_of = dict(_choices(known, a.shape))
        found = by_cases([(guards, 0) for guards in ends_of], make)
        for mask in masks:
            found = multiply(found, mask)
        return found

    covered = written(full(number(1), part.shape))
    node = _over(a.node, covered, written(part.node))
    odd = common([a, part])
    if not odd:
        return Value(node, a.dtype)
    return with_odd(node, a.dtype, odd, _over(a.where, covered, written(part.where)))


RULES: dict[str, Rule] = {
    "gather": _gather,
    "scatter": _scatter(False),
    "scatter-add": _scatter(True),
    "scatter_add": _scatter(True),
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
}
