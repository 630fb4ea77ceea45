"""Operations that move numbers about and round nothing: every field of a value is moved alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import compressed
from .enclosed import Enclosed, Shape, Value, Whole
from .tables import Rule, into

MOVES: dict[str, Rule] = {}
move = into(MOVES)


@move(
    "copy", "copy_p", "stop_gradient", "pvary", "pcast", "pbroadcast", "name", "sharding_constraint"
)
def same(xp: Any, params: Any, shape: Shape, a: Value) -> Value:
    """What hands its operand on."""
    return a


@move("broadcast_in_dim")
def broadcast_in_dim(xp: Any, params: Any, shape: Shape, a: Value) -> Value:
    """New axes have length 1 in every field, since all along them is the same."""
    places = params["broadcast_dimensions"]

    def spread(field: Any) -> Any:
        target = [1] * len(shape)
        for axis, place in enumerate(places):
            target[place] = field.shape[axis]
        return xp.reshape(field, tuple(target))

    return compressed.fields(spread, a, shape)


@move("reshape")
def reshape(xp: Any, params: Any, shape: Shape, a: Value) -> Value:
    """Axes that are split or joined."""
    return compressed.fields(lambda f: compressed.reshaped(xp, f, a.shape, shape), a, shape)


@move("squeeze", "expand_dims")
def squeeze(xp: Any, params: Any, shape: Shape, a: Value) -> Value:
    """Axes of length 1 that are dropped."""
    gone = {axis % len(a.shape) for axis in params["dimensions"]}

    def dropped(field: Any) -> Any:
        return xp.reshape(field, tuple(n for i, n in enumerate(field.shape) if i not in gone))

    return compressed.fields(dropped, a, shape)


@move("transpose")
def transpose(xp: Any, params: Any, shape: Shape, a: Value) -> Value:
    """Axes in another order."""
    return compressed.fields(lambda f: xp.transpose(f, params["permutation"]), a, shape)


@move("rev")
def rev(xp: Any, params: Any, shape: Shape, a: Value) -> Value:
    """Axes that are read backward."""
    return compressed.fields(lambda f: xp.flip(f, axis=tuple(params["dimensions"])), a, shape)


def part(xp: Any, a: Value, starts: Any, shape: Shape, strides: Any = None) -> Value:
    """The entries from `starts` on, one number for each axis."""
    strides = strides or (1,) * len(shape)

    def cut(field: Any) -> Any:
        for axis, (start, count, stride) in enumerate(zip(starts, shape, strides, strict=True)):
            if field.shape[axis] == 1 != a.shape[axis] and count > 0:
                continue
            if isinstance(start, int):
                index = slice(start, start + (count - 1) * stride + 1 if count else start, stride)
                field = field[(slice(None),) * axis + (index,)]
            else:
                field = xp.take(field, start + xp.arange(count), axis=axis)
        return field

    return compressed.fields(cut, a, shape)


@move("slice")
def slice_(xp: Any, params: Any, shape: Shape, a: Value) -> Value:
    """A part at known places."""
    return part(xp, a, params["start_indices"], shape, params["strides"])


def _start(xp: Any, index: Whole, size: int, count: int) -> Any:
    """A start that XLA clamps into the array."""
    if isinstance(index.value, np.ndarray | np.generic):
        return int(np.clip(index.value, 0, size - count))
    return xp.clip(index.value, 0, size - count)


@move("dynamic_slice")
def dynamic_slice(xp: Any, params: Any, shape: Shape, a: Value, *indices: Whole) -> Value:
    """A part at places that the program computes."""
    starts = [_start(xp, i, n, k) for i, n, k in zip(indices, a.shape, shape, strict=True)]
    return part(xp, a, starts, shape)


@move("dynamic_update_slice")
def dynamic_update_slice(
    xp: Any, params: Any, shape: Shape, a: Value, update: Value, *indices: Whole
) -> Value:
    """An array with a part written over."""
    starts = [_start(xp, i, n, k) for i, n, k in zip(indices, shape, update.shape, strict=True)]

    covered = [n == k for n, k in zip(shape, update.shape, strict=True)]

    def written(pair: Any) -> Any:
        whole, piece = pair
        sizes = [
            max(whole.shape[i], piece.shape[i]) if covered[i] else n for i, n in enumerate(shape)
        ]
        parts = [s if covered[i] else update.shape[i] for i, s in enumerate(sizes)]
        whole, piece = (
            compressed.full(xp, whole, tuple(sizes)),
            compressed.full(xp, piece, tuple(parts)),
        )
        if isinstance(whole, np.ndarray):
            whole = whole.copy()
            whole[tuple(slice(s, s + k) for s, k in zip(starts, parts, strict=True))] = piece
            return whole
        import jax

        return jax.lax.dynamic_update_slice(whole, piece, [xp.asarray(s, "int64") for s in starts])

    return compressed.joined(xp, [a, update], shape, written)


@move("concatenate")
def concatenate(xp: Any, params: Any, shape: Shape, *parts: Value) -> Value:
    """Arrays joined along an axis."""
    axis = params["dimension"]

    def end_to_end(fields: list[Any]) -> Any:
        long = [
            compressed.full(xp, f, (*f.shape[:axis], v.shape[axis], *f.shape[axis + 1 :]))
            for f, v in zip(fields, parts, strict=True)
        ]
        return xp.concatenate(compressed.together(xp, long, (axis,)), axis=axis)

    return compressed.joined(xp, parts, shape, end_to_end)


@move("stack")
def stack(xp: Any, params: Any, shape: Shape, *parts: Value) -> Value:
    """Arrays side by side along a new axis."""
    axis = params["axis"]
    one = (*shape[:axis], 1, *shape[axis + 1 :])
    lifted = [reshape(xp, {}, one, v) for v in parts]
    return concatenate(xp, {"dimension": axis}, shape, *lifted)


@move("split")
def split(xp: Any, params: Any, shape: Any, a: Value) -> list[Value]:
    """An array cut into several along an axis."""
    axis, start, pieces = params["axis"], 0, []
    for size in params["sizes"]:
        starts = [start if i == axis else 0 for i in range(len(a.shape))]
        pieces.append(part(xp, a, starts, (*a.shape[:axis], size, *a.shape[axis + 1 :])))
        start += size
    return pieces


@move("pad")
def pad(xp: Any, params: Any, shape: Shape, a: Value, filling: Value) -> Value:
    """By XLA itself, field by field: lengths may be negative, and gaps inside."""
    import jax

    def padded(pair: list[Any]) -> Any:
        whole = xp.asarray(compressed.full(xp, pair[0], a.shape))
        out = jax.lax.pad(
            whole, xp.reshape(xp.asarray(pair[1]), ()).astype(whole.dtype), params["padding_config"]
        )
        return np.asarray(out) if xp is np else out

    return compressed.joined(xp, [a, filling], shape, padded)


@move("iota")
def iota(xp: Any, params: Any, shape: Shape) -> Value:
    """Whole numbers counted along an axis."""
    axis, dtype = params["dimension"], np.dtype(params["dtype"])
    line = np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
    if np.issubdtype(dtype, np.integer):
        return Whole(shape, dtype, line.astype(dtype))
    return Enclosed(shape, dtype, line.astype(float), line.astype(float))
