"""What only moves entries: broadcasting, transposing, reshaping, cutting, joining, padding; and positions."""

from __future__ import annotations

from typing import Any

from ...statement import along, making, nodes, placing
from ...statement.making import full, number
from ...statement.nodes import Node
from ...statement.order import nonnegative
from ...statement.reshaping import reshaped
from ...statement.whole import Axis, substituted, whole
from ..infinities import Value, moved
from ..refused import Refused
from .lowering import Lowering, Rule
from .values import kind_of


def _broadcast_in_dim(
    at: Lowering, a: Value, *sizes: Value, shape: Any, broadcast_dimensions: Any
) -> Value:
    """Operands beside the array are lengths that the shape has already."""

    def move(node: Node) -> Node:
        lengths = at.lengths(shape)
        axes = zip(node.shape, broadcast_dimensions, strict=True)
        return making.take(node, [0 if n == 1 else whole(Axis(k)) for n, k in axes], lengths)

    return moved(move, [a])


def _transpose(at: Lowering, a: Value, *, permutation: Any) -> Value:
    return moved(lambda node: making.permuted(node, permutation), [a])


def _squeeze(at: Lowering, a: Value, *, dimensions: Any) -> Value:
    return moved(lambda node: reshaped(node, at.shape()), [a])


def _expand_dims(at: Lowering, a: Value, *, dimensions: Any) -> Value:
    return moved(lambda node: reshaped(node, at.shape()), [a])


def _reshape(at: Lowering, a: Value, *sizes: Value, new_sizes: Any, dimensions: Any) -> Value:
    if dimensions is not None:
        raise Refused("a reshape in another order")
    return moved(lambda node: reshaped(node, at.lengths(new_sizes)), [a])


def _slice(at: Lowering, a: Value, *, start_indices: Any, limit_indices: Any, strides: Any) -> Any:
    starts, stops = at.lengths(start_indices), at.lengths(limit_indices)
    steps = [at.fixed(s, "a slice with a step") for s in strides or [1] * len(starts)]
    shape = tuple(
        placing.count_of_steps(stop - start, step)
        for start, stop, step in zip(starts, stops, steps, strict=True)
    )
    places = [
        whole(Axis(k)) * step + start
        for k, (start, step) in enumerate(zip(starts, steps, strict=True))
    ]
    return moved(lambda node: making.take(node, places, shape), [a])


def _rev(at: Lowering, a: Value, *, dimensions: Any) -> Value:
    return moved(lambda node: making.reversed_along(node, dimensions), [a])


def _split(at: Lowering, a: Value, *, axis: int, sizes: Any) -> list[Value]:
    lengths = at.lengths(sizes)

    def move(node: Node) -> list[Node]:
        found, start = [], 0
        for length in lengths:
            found.append(placing.sliced(node, axis, start, length))
            start = start + length
        return found

    return moved(move, [a])


def _concatenate(at: Lowering, *parts: Value, dimension: int) -> Value:
    kept = [one for one in parts if one.shape[dimension] != 0]
    return moved(lambda *every: making.joined(every, dimension), kept or list(parts[:1]))


def _stack(at: Lowering, *parts: Value, axis: int) -> Value:
    return moved(lambda *every: making.stacked(every, axis), list(parts))


def _unstack(at: Lowering, a: Value, *, axis: int) -> list[Value]:
    count = at.fixed(a.shape[axis], "an array taken apart, into a number of parts")

    def move(node: Node) -> list[Node]:
        return [making.row(along.first(node, axis), k) for k in range(count)]

    return moved(move, [a])


def _tile(at: Lowering, a: Value, *, reps: Any) -> Value:
    def move(node: Node) -> Node:
        for axis, count in enumerate(at.lengths(reps)):
            if count != 1:
                lengths = (*node.shape[:axis], count, *node.shape[axis:])
                places = [whole(Axis(k if k < axis else k + 1)) for k in range(len(node.shape))]
                several = making.take(node, places, lengths)
                joined = (*node.shape[:axis], count * node.shape[axis], *node.shape[axis + 1 :])
                node = reshaped(several, joined)
        return node

    return moved(move, [a])


def _pad(at: Lowering, a: Value, value: Value, *, padding_config: Any) -> Value:
    sides = [(at.number(low), at.number(high)) for low, high, _ in padding_config]
    gaps = [at.fixed(between, "padding between entries") for *_, between in padding_config]

    def move(node: Node, filling: Node) -> Node:
        for axis, gap in enumerate(gaps):
            node = placing.spaced(node, filling, gap, axis)
        return placing.padded(node, filling, sides)

    return moved(move, [a, value])


def _sort(
    at: Lowering, *operands: Value, dimension: int, is_stable: bool, num_keys: int
) -> list[Value]:
    """Operands whose first key is seen to be in order, or in reverse order, along the axis.

    Raises:
        Refused: if inputs decide the order.
    """
    key, length = operands[0], operands[0].shape[dimension]
    if length == 1:
        return list(operands)
    entry = making.entry_of(key.real)
    if entry is None:
        raise Refused("an order that inputs determine")
    step = substituted(entry, {Axis(dimension): whole(Axis(dimension)) + 1}) - entry
    if nonnegative(step - 1, key.shape) or (
        is_stable and num_keys == 1 and nonnegative(step, key.shape)
    ):
        return list(operands)
    if nonnegative(-step - 1, key.shape):
        axes = [dimension]
        return [moved(lambda node: making.reversed_along(node, axes), [one]) for one in operands]
    raise Refused("an order of whole numbers that is not seen")


def _iota(at: Lowering, *sizes: Value, dtype: Any, shape: Any, dimension: int) -> Value:
    lengths = at.lengths(shape)
    places = nodes.Positions(lengths[dimension])
    node = making.take(places, [whole(Axis(dimension))], lengths)
    return Value(at.fitting(node, dtype) if kind_of(dtype) == "i" else node, dtype)


def _dim_as_value(at: Lowering, *, dim: Any) -> Value:
    return at.length(at.number(dim))


def _empty(at: Lowering, *, shape: Any, dtype: Any) -> Value:
    return Value(full(number(0), at.lengths(shape)), dtype)


RULES: dict[str, Rule] = {
    "broadcast_in_dim": _broadcast_in_dim,
    "transpose": _transpose,
    "squeeze": _squeeze,
    "expand_dims": _expand_dims,
    "reshape": _reshape,
    "slice": _slice,
    "rev": _rev,
    "split": _split,
    "concatenate": _concatenate,
    "stack": _stack,
    "unstack": _unstack,
    "tile": _tile,
    "pad": _pad,
    "iota": _iota,
    "sort": _sort,
    "dim_as_value": _dim_as_value,
    "empty": _empty,
}
