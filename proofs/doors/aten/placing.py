"""Rules of operations that read or write entries at places, which may be numbers in an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...statement import along, choices, making, nodes, placing
from ...statement.choices import add, multiply, select, subtract, vanishing
from ...statement.nodes import Node
from ...statement.order import nonnegative
from ...statement.reshaping import reshaped
from ...statement.rows import in_rows
from ...statement.whole import Axis, Whole, whole
from ...statement.whole import Number as WholeNumber
from .. import infinities
from ..infinities import Value, moved
from .moving import axis_of, end_in, lies_in, place_in, with_axis
from .table import rule


@rule("index.Tensor", "_unsafe_index.Tensor")
def _index(at: Any, self: Value, indices: Sequence[Any]) -> Any:
    return moved(lambda node: indexed(at, node, indices), [self])


def indexed(at: Any, node: Node, indices: Sequence[Any]) -> Node:
    """The entries at places that arrays say, broadcast with one another; other axes stay."""
    given = {k: at.value(v) for k, v in enumerate(indices) if v is not None}
    if any(str(v.dtype) == "torch.bool" for v in given.values()):
        raise at.refuse("an index by truths, whose shape is data")
    used = list(given)
    shape = making.broadcast(*[v.node.shape for v in given.values()])
    rest = [k for k in range(len(node.shape)) if k not in used]
    together = used == list(range(used[0], used[-1] + 1))
    at_axis = used[0] if together else 0
    before, after = rest[:at_axis], rest[at_axis:]
    lengths = (*(node.shape[k] for k in before), *shape, *(node.shape[k] for k in after))
    start = len(before)
    known = {k: _entry(v.node, shape, start) for k, v in given.items()}
    places: list[Any] = [None] * len(node.shape)
    for n, k in enumerate(before):
        places[k] = whole(Axis(n))
    for n, k in enumerate(after, start + len(shape)):
        places[k] = whole(Axis(n))
    data = []
    for k, place in known.items():
        places[k] = None if place is None else lies_in(place, node.shape[k], lengths)
        if places[k] is None:
            if place is not None and making.constant(given[k].node) is not None:
                place_in(at, place, node.shape[k])
            data.append(k)
    if not data:
        return making.take(node, places, lengths)
    wide = {k: making.spread(given[k].node, shape) for k in data}
    if found := _by_cases(at, node, places, wide, start, lengths):
        return found
    if len(used) > 1:
        there = {k: _from_the_end_in(at, one, node.shape[k]) for k, one in wide.items()}
        return _at_each(node, places, there, start, lengths)
    (k,) = data
    there = _from_the_end_in(at, given[k].node, node.shape[k])
    if len(node.shape) == 1 and (found := along.entry_at_greatest(node, 0, [0], there)):
        return found
    moved = along.first(node, k)
    found = placing.looked_up(moved, there)
    count = len(shape)
    order = [count + n for n in range(start)] + list(range(count))
    order += list(range(count + start, len(lengths)))
    return making.permuted(found, order)


def _at_each(
    node: Node,
    places: Sequence[Any],
    data: dict[int, Node],
    start: int,
    lengths: nodes.Shape,
) -> Node:
    """The entries at places along some axes, and along others where data say, which begin at `start` in the result."""
    own, names = list(places), list(range(len(lengths)))
    hot, axes = [], []
    for n, (k, index) in enumerate(data.items(), start=len(names)):
        own[k] = whole(Axis(n))
        hot.append(_one_hot(index, node.shape[k]))
        axes.append([*range(start, start + len(index.shape)), n])
    every = [*names, *range(len(names), len(names) + len(data))]
    spread = making.take(node, own, (*lengths, *(node.shape[k] for k in data)))
    return making.contracted([*hot, spread], [*axes, every], names)


def _by_cases(
    at: Any,
    node: Node,
    places: Sequence[Any],
    data: dict[int, Node],
    start: int,
    lengths: nodes.Shape,
) -> Node | None:
    """The entries at places that sizes and positions determine case by case; None where inputs do."""
    known = []
    for k, index in data.items():
        axes = [whole(Axis(start + n)) for n in range(len(index.shape))]
        cases = placing.cases_in_axes(_from_the_end(index, node.shape[k]), axes)
        if cases is None:
            return None
        known.append((k, cases))
    here = [0 if k in data else place for k, place in enumerate(places)]
    found, inside = placing.entries(node, here, known, lengths)
    if not inside:
        at.assume(INSIDE)
    return found


def _entry(node: Node, shape: nodes.Shape, start: int) -> WholeNumber | None:
    """The place that an index has, in the positions of a result in which its axes begin at `start`."""
    wide = making.spread(node, shape)
    found = making.entry_of(wide)
    if not isinstance(found, Whole):
        return found
    return making.substituted(found, {Axis(k): whole(Axis(start + k)) for k in range(len(shape))})


INSIDE = "places that are data lie in their axis, counted from either end"


def _from_the_end_in(at: Any, places: Node, length: WholeNumber) -> Node:
    ends = (
        choices.add(places, making.number(length)),
        choices.subtract(making.number(length - 1), places),
    )
    if any(making.constant(choices.at_least(end)) != 1 for end in ends):
        if in_rows(places) is not None:
            raise at.refuse("a place that is not seen to lie in its axis")
        at.assume(INSIDE)
    return _from_the_end(places, length)


def _from_the_end(places: Node, length: WholeNumber) -> Node:
    """Places from the beginning of an axis, of which some may count from its end."""
    if making.constant(choices.at_least(places)) == 1:
        return places
    below = choices.above(choices.negative(places))
    return add(places, multiply(below, making.number(length)))


@rule("index_select")
def _index_select(at: Any, self: Value, dim: int, index: Value) -> Any:
    k = axis_of(self.node, dim)
    return _index(at, self, [*[None] * k, index])


@rule("embedding")
def _embedding(
    at: Any,
    weight: Value,
    indices: Value,
    padding_idx: Any = -1,
    scale_grad_by_freq: Any = False,
    sparse: Any = False,
) -> Any:
    return _index(at, weight, [indices])


@rule("gather")
def _gather(at: Any, self: Value, dim: int, index: Value, sparse_grad: Any = False) -> Any:
    node, places, k = at.node(self), at.node(index), axis_of(self.node, dim)
    shape = places.shape
    number = making.entry_of(places)
    own = list(making.places_of(shape))
    if number is not None:
        place = lies_in(number, node.shape[k], shape)
        if place is not None:
            own[k] = place
            return making.take(node, own, shape)
    there = _from_the_end_in(at, places, node.shape[k])
    if found := along.entry_at_greatest(node, k, own, there):
        return found
    return _at_each(node, own, {k: there}, 0, shape)


# Entries written.


@rule("select_scatter")
def _select_scatter(at: Any, self: Value, src: Value, dim: int, index: Any) -> Any:
    node, k = at.node(self), axis_of(self.node, dim)
    part = reshaped(at.node(src), with_axis(src.node, k))
    return at.written(node, {k: (place_in(at, index, node.shape[k]), 1)}, part)


@rule("slice_scatter")
def _slice_scatter(
    at: Any,
    self: Value,
    src: Value,
    dim: int = 0,
    start: Any = None,
    end: Any = None,
    step: int = 1,
) -> Any:
    node, part, k = at.node(self), at.node(src), axis_of(self.node, dim)
    first, length, count = end_in(at, start, node.shape[k], 0), node.shape[k], part.shape[k]
    if step == 1:
        return at.written(node, {k: (first, count)}, part)
    if length != step * count or first not in range(step):
        raise at.refuse(
            f"a slice written with the step {step}; give that length as a multiple, such as {step}*n"
        )
    # One place of each group of `step` entries.
    groups = reshaped(node, (*node.shape[:k], count, step, *node.shape[k + 1 :]))
    each = reshaped(part, (*part.shape[: k + 1], 1, *part.shape[k + 1 :]))
    return reshaped(at.written(groups, {k + 1: (first, 1)}, each), node.shape)


@rule("index_put", "_unsafe_index_put", computes=True)
def _index_put(
    at: Any, self: Value, indices: Sequence[Any], values: Value, accumulate: Any = False
) -> Any:
    given = {k: at.value(v) for k, v in enumerate(indices) if v is not None}
    if any(str(v.dtype) == "torch.bool" for v in given.values()):
        (k, mask), *others = given.items()
        if others or k or at.value(values).shape or accumulate:
            raise at.refuse("an index by truths, whose shape is data")
        rest = [1] * (len(self.shape) - len(mask.shape))
        where = reshaped(mask.node, [*mask.shape, *rest])
        return infinities.select(where, at.value(values, True), at.value(self, True))
    node, part = at.node(self), at.node(values)
    if accumulate:
        return _added(at, node, given, part)
    windows: dict[int, Any] = {}
    shape = making.broadcast(*[v.node.shape for v in given.values()])
    used = list(given)
    if (
        len(shape) > 1
        or (shape and len(used) > 1 and shape[0] != 1)
        or used != list(range(used[0], used[-1] + 1))
    ):
        raise at.refuse("entries written at several places that arrays say")
    for k, v in given.items():
        number = making.entry_of(v.node)
        step = number - whole(Axis(0)) if shape and number is not None else number
        if number is None and not shape and len(used) == 1:
            here = vanishing(
                subtract(
                    nodes.Positions(node.shape[k]), _from_the_end_in(at, v.node, node.shape[k])
                )
            )
            here = reshaped(here, [n if j == k else 1 for j, n in enumerate(node.shape)])
            full = making.spread(reshaped(part, with_axis(part, k)), node.shape)
            return select(here, full, node)
        if number is None or (isinstance(step, Whole) and Axis(0) in step.symbols):
            raise at.refuse("entries written at places that are data")
        count = shape[0] if shape else 1
        if shape and not (nonnegative(step) and nonnegative(node.shape[k] - step - count)):
            raise at.refuse("entries written at places that are not seen to lie in their axis")
        windows[k] = (place_in(at, step, node.shape[k]), count)
    inner = [node.shape[j] for j in range(len(node.shape)) if j not in windows]
    front = [windows[k][1] for k in used] if shape else [1] * len(used)
    wanted = [*inner[: used[0]], *(shape or ()), *inner[used[0] :]]
    part = making.spread(part, tuple(wanted))
    full_shape = [*inner[: used[0]], *front, *inner[used[0] :]]
    return at.written(node, windows, reshaped(part, full_shape))


def _added(at: Any, node: Node, given: dict[int, Value], part: Node) -> Node:
    """The array with parts added at places, each as often as it is said."""
    if len(given) > 1:
        raise at.refuse("entries added at places along several axes")
    ((k, places),) = given.items()
    moved = along.first(node, k)
    count = len(places.node.shape)
    inner = [n for j, n in enumerate(node.shape) if j != k]
    part = making.spread(part, (*inner[:k], *places.node.shape, *inner[k:]))
    order = [*range(k, k + count), *range(k), *range(k + count, len(part.shape))]
    part = making.permuted(part, order)
    number = making.entry_of(places.node)
    length = node.shape[k]
    if number is None:
        added = _scattered(_from_the_end_in(at, places.node, length), part, length)
    else:
        # Σ over the places of [place = j]: guards, which a proof follows.
        shape = (*places.node.shape, length)
        gap = number - whole(Axis(count))
        if not nonnegative(number, places.node.shape):
            raise at.refuse("entries added at places counted from the end")
        hot = making.take(making.number(1), (), shape, [gap, -gap])
        names = list(range(count + 1 + len(part.shape) - count))
        both = [names[: count + 1], [*names[:count], *names[count + 1 :]]]
        added = making.contracted([hot, part], both, names[count:])
    return along.back(add(moved, added), k)


def _one_hot(places: Node, length: WholeNumber) -> Node:
    """1 at the place that an entry says, along a new last axis; nothing where it is no place."""
    return placing.looked_up(making.identity(length), places)


def _scattered(places: Node, values: Node, length: WholeNumber) -> Node:
    """Σ over the entries of `places` of what `values` has there, at these places: (length, …)."""
    count = len(places.shape)
    ones = _one_hot(places, length)
    names = tuple(range(1 + len(values.shape)))
    axes = [names[: count + 1], (*names[:count], *names[count + 1 :])]
    return making.contracted([ones, values], axes, names[count:])


@rule("scatter_add", computes=True)
def _scatter_add(at: Any, self: Value, dim: int, index: Value, src: Value) -> Any:
    """Σ over one axis of the places, along the others place by place."""
    node, places, part = at.node(self), at.node(index), at.node(src)
    for k, length in enumerate(places.shape):
        part = placing.sliced(part, k, 0, length)
    if len(node.shape) == 1:
        return _added(at, node, {0: at.value(places)}, part)
    k = axis_of(node, dim)
    if [*places.shape[:k], *places.shape[k + 1 :]] != [*node.shape[:k], *node.shape[k + 1 :]]:
        raise at.refuse("entries added at places of a part of an array")
    names = list(range(len(node.shape)))
    ones = _one_hot(places, node.shape[k])
    others = [n for n in names if n != k]
    added = making.contracted([ones, part], [[*names, len(names)], names], [len(names), *others])
    return add(node, along.back(added, k))


@rule("scatter.value", "scatter.src")
def _scatter(
    at: Any, self: Value, dim: int, index: Value, value: Any = None, src: Any = None
) -> Any:
    """Where each place is written once at most along an axis of one index: the one-hot array."""
    node, places, k = at.node(self), at.node(index), axis_of(self.node, dim)
    if places.shape[k] != 1 or [n for j, n in enumerate(places.shape) if j != k] != [
        n for j, n in enumerate(node.shape) if j != k
    ]:
        raise at.refuse("entries written at several places that are data")
    own = reshaped(
        nodes.Positions(node.shape[k]), [n if j == k else 1 for j, n in enumerate(node.shape)]
    )
    here = vanishing(subtract(making.spread(own, node.shape), making.spread(places, node.shape)))
    new = at.node(value) if src is None else at.node(src)
    return select(here, making.spread(new, node.shape), node)
