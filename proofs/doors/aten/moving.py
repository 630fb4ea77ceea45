"""Rules of operations that make arrays, and move their entries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...statement import along, making, nodes, placing
from ...statement.choices import add, multiply
from ...statement.nodes import Node
from ...statement.order import nonnegative
from ...statement.reshaping import reshaped
from ...statement.whole import Axis, whole
from ...statement.whole import Number as WholeNumber
from ..infinities import Value, moved
from . import merged
from .table import moving, rule

LAST = 2**62
"""Slices end at PyTorch's greatest whole number where they go to the end."""


def axis_of(node: Node, dim: int, more: int = 0) -> int:
    """An axis that may be counted from the last."""
    return dim % max(len(node.shape) + more, 1)


# Arrays that are made.


@rule("full", "scalar_tensor", "full_like", "new_full", takes_nan=True)
def _full(
    at: Any,
    size: Any = None,
    fill_value: Any = None,
    s: Any = None,
    self: Any = None,
    dtype: Any = None,
) -> Any:
    return _fill(at, None, s if fill_value is None else fill_value)


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
    scaled = multiply(nodes.Positions(at.shape[0]), at.node(step))
    return add(scaled, at.node(start))


@rule("eye", "eye.m")
def _eye(at: Any, n: Any, m: Any = None, dtype: Any = None) -> Any:
    gap = whole(Axis(0)) - whole(Axis(1))
    return making.take(making.number(1), (), at.shape, [gap, -gap])


# Shapes.


@moving("view", "_unsafe_view", "view_copy")
def _view(at: Any, self: Node, size: Any) -> Node:
    return reshaped(self, at.shape)


@moving("expand", "expand_copy")
def _expand(at: Any, self: Node, size: Any, implicit: Any = False) -> Node:
    return making.spread(self, at.shape)


@moving("permute", "permute_copy")
def _permute(at: Any, self: Node, dims: Sequence[int]) -> Node:
    return merged.permuted(self, [axis_of(self, d) for d in dims])


@moving("transpose.int", "transpose_copy.int")
def _transpose(at: Any, self: Node, dim0: int, dim1: int) -> Node:
    if not self.shape:
        return self
    order = list(range(len(self.shape)))
    a, b = axis_of(self, dim0), axis_of(self, dim1)
    order[a], order[b] = order[b], order[a]
    return merged.permuted(self, order)


@moving("t")
def _t(at: Any, self: Node) -> Node:
    return merged.permuted(self, list(range(len(self.shape)))[::-1])


@moving("unsqueeze", "unsqueeze_copy")
def _unsqueeze(at: Any, self: Node, dim: int) -> Node:
    return reshaped(self, with_axis(self, axis_of(self, dim, 1)))


def with_axis(node: Node, axis: int) -> tuple[WholeNumber, ...]:
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
    return reshaped(self, [n for k, n in enumerate(self.shape) if k not in gone])


@moving("slice.Tensor", "slice_copy.Tensor")
def _slice(
    at: Any, self: Node, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Node:
    k = axis_of(self, dim)
    return placing.sliced(self, k, end_in(at, start, self.shape[k], 0), at.shape[k], step)


def end_in(at: Any, end: Any, length: WholeNumber, otherwise: WholeNumber) -> WholeNumber:
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
    place = place_in(at, index, self.shape[k])
    written = at.writes.entry(self, k, place)
    return making.row(along.first(self, k), place) if written is None else written


def lies_in(place: WholeNumber, length: WholeNumber, shape: nodes.Shape) -> WholeNumber | None:
    """A place along an axis, counted from its end where it is below 0; None where that is not seen."""
    if making.lies_within(place, length, shape):
        return place
    if making.lies_within(place + length, length, shape) and nonnegative(-place - 1, shape):
        return place + length
    return None


def place_in(at: Any, index: Any, length: WholeNumber) -> WholeNumber:
    number = at.whole(index)
    place = lies_in(number, length, ())
    if place is None:
        if nonnegative(number):
            raise at.decided(length - 1 - number, "≥ 0", "whether an index lies in its axis")
        raise at.decided(number + length, "≥ 0", "whether an index lies in its axis")
    return place


@rule("cat", "concat")
def _cat(at: Any, tensors: Sequence[Value], dim: int = 0) -> Any:
    kept = [v for v in tensors if not (v.node.shape == (0,) and len(at.shape) != 1)]
    k = dim % len(at.shape)
    return moved(lambda *every: making.joined(every, k), kept)


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
        found.append(placing.sliced(at.node(self), k, start, shape[k]))
        start = start + shape[k]
    return found


@rule("unbind.int")
def _unbind(at: Any, self: Value, dim: int = 0) -> Any:
    node = at.node(self)
    k = axis_of(node, dim)
    return [making.row(along.first(node, k), n) for n in range(len(at.shapes))]


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
        parts = [placing.sliced(self, k, first, length - first), placing.sliced(self, k, 0, first)]
        self = making.joined(parts, k)
    return self


@moving("repeat")
def _repeat(at: Any, self: Node, repeats: Sequence[Any]) -> Node:
    lacking = len(repeats) - len(self.shape)
    node = reshaped(self, (*[1] * lacking, *self.shape))
    for k, count in enumerate(repeats):
        length = node.shape[k]
        if count == 1:
            continue
        shape = (*node.shape[:k], count, *node.shape[k:])
        places = [p for j, p in enumerate(making.places_of(shape)) if j != k]
        several = making.take(node, places, shape)
        node = reshaped(several, (*node.shape[:k], count * length, *node.shape[k + 1 :]))
    return node


@moving("tril", "triu")
def _triangle(at: Any, self: Node, diagonal: Any = 0) -> Node:
    gap = whole(Axis(len(self.shape) - 2)) - whole(Axis(len(self.shape) - 1)) + diagonal
    guard = gap if at.name.startswith("tril") else -gap
    return making.take(self, making.places_of(self.shape), self.shape, [guard])


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
    sides: list[Any] = [(0, 0)] * (len(self.shape) - len(pad) // 2)
    sides += list(zip(pad[::2], pad[1::2], strict=True))[::-1]
    both = [self, at.value(value)]
    return moved(lambda node, filling: placing.padded(node, filling, sides), both)


@rule("fill.Scalar", "fill.Tensor")
def _fill(at: Any, self: Value, value: Any) -> Any:
    shape = at.shape[:-1] if at.dtype.is_complex else at.shape
    return moved(lambda node: making.full(node, shape), [at.value(value)])
