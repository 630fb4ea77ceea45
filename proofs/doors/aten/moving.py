"""Rules of operations that make arrays, move entries, and read or write them at places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...statement import making, nodes
from ...statement.nodes import Node
from ...statement.order import nonnegative
from ...statement.whole import Axis, Whole, whole
from ...statement.whole import Number as WholeNumber
from .. import axes, entries
from ..entries import ONE, ZERO
from .table import moving, rule
from .values import Value

LAST = 2**62
"""Slices end at PyTorch's greatest whole number where they go to the end."""


def axis_of(node: Node, dim: int, more: int = 0) -> int:
    """An axis that may be counted from the last."""
    return dim % max(len(node.shape) + more, 1)


# Arrays that are made.


@rule("full", "scalar_tensor", "full_like", "new_full")
def _full(
    at: Any,
    size: Any = None,
    fill_value: Any = None,
    s: Any = None,
    self: Any = None,
    dtype: Any = None,
) -> Any:
    found = at.value(s if fill_value is None else fill_value)
    finite = None if found.finite is None else making.full(found.finite, at.shape)
    return Value(making.full(found.node, at.shape), at.dtype, finite, found.sign)


@rule("empty.memory_format", "new_empty", "empty_strided", "empty_permuted")
def _empty(
    at: Any,
    size: Any = None,
    self: Any = None,
    dtype: Any = None,
    stride: Any = None,
    physical_layout: Any = None,
) -> Any:
    return at.unknown("memory that nothing was written to")


@rule("arange.start_step")
def _arange(at: Any, start: Any, end: Any, step: Any = 1, dtype: Any = None) -> Any:
    if isinstance(start, float) or isinstance(step, float):
        if not all(float(x).is_integer() for x in (start, step) if isinstance(x, float)):
            raise at.refuse("an arange that starts or steps by a fraction")
        start, step = (int(x) if isinstance(x, float) else x for x in (start, step))
    scaled = entries.times(nodes.Positions(at.shape[0]), at.node(step))
    return entries.plus(scaled, at.node(start))


@rule("eye", "eye.m")
def _eye(at: Any, n: Any, m: Any = None, dtype: Any = None) -> Any:
    gap = whole(Axis(0)) - whole(Axis(1))
    return making.take(ONE, (), at.shape, [gap, -gap])


# Shapes.


@moving("view", "_unsafe_view", "view_copy")
def _view(at: Any, self: Node, size: Any) -> Node:
    return axes.reshaped(self, at.shape)


@moving("expand", "expand_copy")
def _expand(at: Any, self: Node, size: Any, implicit: Any = False) -> Node:
    return making.spread(self, at.shape)


@moving("permute", "permute_copy")
def _permute(at: Any, self: Node, dims: Sequence[int]) -> Node:
    return axes.permuted(self, [axis_of(self, d) for d in dims])


@moving("transpose.int", "transpose_copy.int")
def _transpose(at: Any, self: Node, dim0: int, dim1: int) -> Node:
    if not self.shape:
        return self
    order = list(range(len(self.shape)))
    a, b = axis_of(self, dim0), axis_of(self, dim1)
    order[a], order[b] = order[b], order[a]
    return axes.permuted(self, order)


@moving("t")
def _t(at: Any, self: Node) -> Node:
    return axes.permuted(self, list(range(len(self.shape)))[::-1])


@moving("unsqueeze", "unsqueeze_copy")
def _unsqueeze(at: Any, self: Node, dim: int) -> Node:
    return axes.reshaped(self, making_expanded(self, axis_of(self, dim, 1)))


def making_expanded(node: Node, axis: int) -> tuple[WholeNumber, ...]:
    """The shape with a new axis of length 1."""
    return (*node.shape[:axis], 1, *node.shape[axis:])


@moving("squeeze", "squeeze.dim", "squeeze.dims", "squeeze_copy.dims", "squeeze_copy.dim")
def _squeeze(at: Any, self: Node, dim: Any = None) -> Node:
    given = range(len(self.shape)) if dim is None else [dim] if isinstance(dim, int) else dim
    gone = []
    for k in sorted({axis_of(self, d) for d in given}):
        length = self.shape[k]
        if length == 1:
            gone.append(k)
        elif not isinstance(length, int) and not nonnegative(length - 2):
            raise at.decided(length - 2, "≥ 0", "an axis is taken away where its length is 1")
    return axes.without_axes(self, gone)


@moving("slice.Tensor", "slice_copy.Tensor")
def _slice(
    at: Any, self: Node, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Node:
    k = axis_of(self, dim)
    return axes.sliced(self, k, _end(at, start, self.shape[k], 0), at.shape[k], step)


def _end(at: Any, end: Any, length: WholeNumber, otherwise: WholeNumber) -> WholeNumber:
    """Where a slice begins or ends."""
    if end is None:
        return otherwise
    if isinstance(end, int) and end >= LAST:
        return length
    if nonnegative(end):
        if nonnegative(length - end):
            return end
        if nonnegative(end - length):
            return length
        raise at.decided(length - end, "≥ 0", "where a slice ends")
    if nonnegative(-end - 1):
        if nonnegative(end + length):
            return end + length
        if nonnegative(-end - length):
            return 0
        raise at.decided(end + length, "≥ 0", "where a slice ends")
    raise at.decided(end, "≥ 0", "where a slice ends")


@moving("select.int", "select_copy.int")
def _select(at: Any, self: Node, dim: int, index: Any) -> Node:
    k = axis_of(self, dim)
    return axes.at_place(self, k, _place(at, index, self.shape[k]))


def _place(at: Any, index: Any, length: WholeNumber) -> WholeNumber:
    number = at.whole(index)
    place = axes.lies_in(number, length, ())
    if place is None:
        if nonnegative(number):
            raise at.decided(length - 1 - number, "≥ 0", "whether an index lies in its axis")
        raise at.decided(number + length, "≥ 0", "whether an index lies in its axis")
    return place


@rule("cat", "concat")
def _cat(at: Any, tensors: Sequence[Value], dim: int = 0) -> Any:
    kept = [v for v in tensors if not (v.node.shape == (0,) and len(at.shape) != 1)]
    k = dim % len(at.shape)
    node = making.joined([v.node for v in kept], k)
    if all(v.finite is None for v in kept):
        return node
    if len({v.sign for v in kept if v.finite is not None}) > 1:
        raise at.refuse("∞ beside −∞")
    finite = [making.full(ONE, v.node.shape) if v.finite is None else v.finite for v in kept]
    sign = next(v.sign for v in kept if v.finite is not None)
    return Value(node, at.dtype, making.joined(finite, k), sign)


@rule("stack")
def _stack(at: Any, tensors: Sequence[Value], dim: int = 0) -> Any:
    k = dim % len(at.shape)
    return making.stacked([at.node(v) for v in tensors], k)


@rule("split.Tensor", "split_with_sizes", "split_copy.Tensor", "split_with_sizes_copy")
def _split(
    at: Any, self: Value, split_size: Any = None, split_sizes: Any = None, dim: int = 0
) -> Any:
    k, start, found = axis_of(self.node, dim), 0, []
    for shape in at.shapes:
        found.append(axes.sliced(at.node(self), k, start, shape[k]))
        start = start + shape[k]
    return found


@rule("unbind.int")
def _unbind(at: Any, self: Value, dim: int = 0) -> Any:
    node = at.node(self)
    k = axis_of(node, dim)
    return [axes.at_place(node, k, n) for n in range(len(at.shapes))]


@moving("flip")
def _flip(at: Any, self: Node, dims: Sequence[int]) -> Node:
    return making.reversed_along(self, [axis_of(self, d) for d in dims])


@moving("roll")
def _roll(at: Any, self: Node, shifts: Sequence[Any], dims: Sequence[int] = ()) -> Node:
    if not dims:
        raise at.refuse("a roll of all entries in order")
    for shift, dim in zip(shifts, dims, strict=True):
        k = axis_of(self, dim)
        length = self.shape[k]
        if isinstance(shift, int) and isinstance(length, int) and length:
            shift = shift % length
        first = length - shift if nonnegative(shift) else -shift
        if not nonnegative(first) or not nonnegative(length - first):
            raise at.decided(first, "≥ 0", "whether a roll goes round more than once")
        parts = [axes.sliced(self, k, first, length - first), axes.sliced(self, k, 0, first)]
        self = making.joined(parts, k)
    return self


@moving("repeat")
def _repeat(at: Any, self: Node, repeats: Sequence[Any]) -> Node:
    lacking = len(repeats) - len(self.shape)
    node = axes.reshaped(self, (*[1] * lacking, *self.shape))
    for k, count in enumerate(repeats):
        length = node.shape[k]
        if count == 1:
            continue
        shape = (*node.shape[:k], count, *node.shape[k:])
        places = [p for j, p in enumerate(making.places_of(shape)) if j != k]
        several = making.take(node, places, shape)
        node = axes.reshaped(several, (*node.shape[:k], count * length, *node.shape[k + 1 :]))
    return node


@rule("tril", "triu")
def _triangle(at: Any, self: Value, diagonal: Any = 0) -> Any:
    lower = at.name.startswith("tril")
    node = axes.diagonal_part(self.node, diagonal, lower)
    if self.finite is None:
        return node
    infinite = axes.diagonal_part(entries.opposite(self.finite), diagonal, lower)
    return self.with_node(node, entries.opposite(infinite))


@moving("diagonal", "diagonal_copy")
def _diagonal(at: Any, self: Node, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Node:
    a, b = axis_of(self, dim1), axis_of(self, dim2)
    axis = len(at.shape) - 1
    rest = iter(range(axis))
    places: list[WholeNumber] = []
    for k in range(len(self.shape)):
        shift = max(offset, 0) if k == b else max(-offset, 0)
        places.append(whole(Axis(axis)) + shift if k in (a, b) else whole(Axis(next(rest))))
    return making.take(self, places, at.shape)


@moving("unfold")
def _unfold(at: Any, self: Node, dimension: int, size: int, step: int) -> Node:
    k = axis_of(self, dimension)
    places = list(making.places_of(self.shape))
    places[k] = places[k] * step + whole(Axis(len(self.shape)))
    return making.take(self, places, at.shape)


@rule("constant_pad_nd")
def _pad(at: Any, self: Value, pad: Sequence[Any], value: Any = 0) -> Any:
    node, filling = self.node, at.value(value)
    finite = self.finite
    if filling.finite is not None or finite is not None:
        finite = making.full(ONE, node.shape) if finite is None else finite
    last = len(node.shape) - 1
    for n in range(0, len(pad), 2):
        k, ends = last - n // 2, (pad[n], pad[n + 1])
        node = axes.padded(node, k, *ends, filling.number)
        if finite is not None:
            finite = axes.padded(finite, k, *ends, ONE if filling.finite is None else ZERO)
    sign = filling.sign if filling.finite is not None else self.sign
    return Value(node, at.dtype, finite, sign)


# Entries read at places that are numbers in an array.


@rule("index.Tensor", "_unsafe_index.Tensor")
def _index(at: Any, self: Value, indices: Sequence[Any]) -> Any:
    found = indexed(at, self.node, indices)
    return self.with_node(found, None if self.finite is None else indexed(at, self.finite, indices))


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
        places[k] = None if place is None else axes.lies_in(place, node.shape[k], lengths)
        if places[k] is None:
            if place is not None and making.constant(given[k].node) is not None:
                _place(at, place, node.shape[k])
            data.append(k)
    if not data:
        return making.take(node, places, lengths)
    if len(used) > 1:
        raise at.refuse("several indices that are data")
    (k,) = data
    moved = axes.moved_in_front(node, k)
    found = making.lookup(moved, _from_the_end(at, given[k].node, node.shape[k]))
    count = len(shape)
    order = [count + n for n in range(start)] + list(range(count))
    order += list(range(count + start, len(lengths)))
    return making.permuted(found, order)


def _entry(node: Node, shape: nodes.Shape, start: int) -> WholeNumber | None:
    """The place that an index has, in the positions of a result in which its axes begin at `start`."""
    wide = making.spread(node, shape)
    found = making.entry_of(wide)
    if not isinstance(found, Whole):
        return found
    return making.substituted(found, {Axis(k): whole(Axis(start + k)) for k in range(len(shape))})


def _from_the_end(at: Any, places: Node, length: WholeNumber) -> Node:
    at.assume("places that are data lie in their axis, counted from either end")
    number = making.entry_of(places)
    if number is not None and nonnegative(number, places.shape):
        return places
    below = entries.above(ZERO, places)
    return entries.plus(places, entries.times(below, making.number(length)))


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
        place = axes.lies_in(number, node.shape[k], shape)
        if place is not None:
            own[k] = place
            return making.take(node, own, shape)
    hot = axes.one_hot(_from_the_end(at, places, node.shape[k]), node.shape[k])
    names = list(range(len(shape)))
    own[k] = whole(Axis(len(shape)))
    spread = making.take(node, own, (*shape, node.shape[k]))
    both = [*names, len(shape)]
    return making.contracted([hot, spread], [both, both], names)


# Entries written.


@rule("select_scatter")
def _select_scatter(at: Any, self: Value, src: Value, dim: int, index: Any) -> Any:
    node, k = at.node(self), axis_of(self.node, dim)
    part = axes.reshaped(at.node(src), making_expanded(src.node, k))
    return at.written(node, {k: (_place(at, index, node.shape[k]), 1)}, part)


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
    node, k = at.node(self), axis_of(self.node, dim)
    if step != 1:
        raise at.refuse("a slice written with a step")
    part = at.node(src)
    first = _end(at, start, node.shape[k], 0)
    return at.written(node, {k: (first, part.shape[k])}, part)


@rule("index_put", "_unsafe_index_put", computes=True)
def _index_put(
    at: Any, self: Value, indices: Sequence[Any], values: Value, accumulate: Any = False
) -> Any:
    node, part = at.node(self), at.node(values)
    given = {k: at.value(v) for k, v in enumerate(indices) if v is not None}
    if any(str(v.dtype) == "torch.bool" for v in given.values()):
        (k, mask), *others = given.items()
        if others or k or len(mask.node.shape) != len(node.shape) or part.shape or accumulate:
            raise at.refuse("an index by truths, whose shape is data")
        return entries.selected(mask.node, making.full(part, node.shape), node)
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
            here = entries.equal(
                nodes.Positions(node.shape[k]), _from_the_end(at, v.node, node.shape[k])
            )
            here = axes.reshaped(here, [n if j == k else 1 for j, n in enumerate(node.shape)])
            full = making.spread(axes.reshaped(part, making_expanded(part, k)), node.shape)
            return entries.selected(here, full, node)
        if number is None or (isinstance(step, Whole) and Axis(0) in step.symbols):
            raise at.refuse("entries written at places that are data")
        windows[k] = (_place(at, step, node.shape[k]), shape[0] if shape else 1)
    inner = [node.shape[j] for j in range(len(node.shape)) if j not in windows]
    front = [windows[k][1] for k in used] if shape else [1] * len(used)
    wanted = [*inner[: used[0]], *(shape or ()), *inner[used[0] :]]
    part = making.spread(part, tuple(wanted))
    full_shape = [*inner[: used[0]], *front, *inner[used[0] :]]
    return at.written(node, windows, axes.reshaped(part, full_shape))


def _added(at: Any, node: Node, given: dict[int, Value], part: Node) -> Node:
    """The array with parts added at places, each as often as it is said."""
    if len(given) > 1:
        raise at.refuse("entries added at places along several axes")
    ((k, places),) = given.items()
    moved = axes.moved_in_front(node, k)
    count = len(places.node.shape)
    inner = [n for j, n in enumerate(node.shape) if j != k]
    part = making.spread(part, (*inner[:k], *places.node.shape, *inner[k:]))
    order = [*range(k, k + count), *range(k), *range(k + count, len(part.shape))]
    part = making.permuted(part, order)
    number = making.entry_of(places.node)
    length = node.shape[k]
    if number is None:
        added = axes.scattered(_from_the_end(at, places.node, length), part, length)
    else:
        # Σ over the places of [place = j]: guards, which a proof follows.
        shape = (*places.node.shape, length)
        gap = number - whole(Axis(count))
        if not nonnegative(number, places.node.shape):
            raise at.refuse("entries added at places counted from the end")
        hot = making.take(ONE, (), shape, [gap, -gap])
        names = list(range(count + 1 + len(part.shape) - count))
        both = [names[: count + 1], [*names[:count], *names[count + 1 :]]]
        added = making.contracted([hot, part], both, names[count:])
    return axes.moved_to(entries.plus(moved, added), k)


@rule("scatter_add", computes=True)
def _scatter_add(at: Any, self: Value, dim: int, index: Value, src: Value) -> Any:
    node, places, part = at.node(self), at.node(index), at.node(src)
    if len(node.shape) != 1:
        raise at.refuse("entries added at places of arrays with several axes")
    return _added(at, node, {0: at.value(places)}, axes.sliced(part, 0, 0, places.shape[0]))


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
    own = axes.reshaped(
        nodes.Positions(node.shape[k]), [n if j == k else 1 for j, n in enumerate(node.shape)]
    )
    here = entries.equal(making.spread(own, node.shape), making.spread(places, node.shape))
    new = at.node(value) if src is None else at.node(src)
    return entries.selected(here, making.spread(new, node.shape), node)


@rule("fill.Scalar", "fill.Tensor")
def _fill(at: Any, self: Value, value: Any) -> Any:
    found = at.value(value)
    finite = None if found.finite is None else making.full(found.finite, at.shape)
    return Value(making.full(found.node, at.shape), at.dtype, finite, found.sign)
