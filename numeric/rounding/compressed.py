"""Moving and multiplying fields whose axes have length 1 where everything along them is the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .enclosed import Enclosed, Shape, Value, Whole, magnitude


def full(xp: Any, field: Any, shape: Shape) -> Any:
    """A field at full length on every axis of `shape`."""
    return xp.broadcast_to(field, shape)


def fields(function: Callable[[Any], Any], value: Value, shape: Shape) -> Any:
    """A value of another shape, each of its fields moved by `function`."""
    if isinstance(value, Whole):
        return Whole(shape, value.dtype, function(value.value))
    lower = None if value.lower is None else function(value.lower)
    wrong = None if value.error is None else function(value.error)
    return Enclosed(shape, value.dtype, function(value.upper), lower, wrong)


def joined(xp: Any, values: Sequence[Any], shape: Shape, function: Callable[..., Any]) -> Any:
    """One value of several: each field is `function` of the list of all values' fields of that kind.

    What some values have as a number with a sign and others as a magnitude alone is taken as a magnitude; no error
    stands for an error of 0.
    """
    first = values[0]
    if isinstance(first, Whole):
        return Whole(shape, first.dtype, function([v.value for v in values]))
    signed = all(v.lower is not None for v in values)
    upper = function([v.upper if signed else magnitude(xp, v) for v in values])
    lower = function([v.lower for v in values]) if signed else None
    if all(v.error is None for v in values):
        return Enclosed(shape, first.dtype, upper, lower)
    nothing = [xp.zeros((1,) * len(v.shape)) if v.error is None else v.error for v in values]
    return Enclosed(shape, first.dtype, upper, lower, function(nothing))


def together(xp: Any, arrays: Sequence[Any], skip: Sequence[int] = ()) -> list[Any]:
    """Arrays brought to one length on every axis that is not in `skip`, where one of them is 1 and another full."""
    axes = range(arrays[0].ndim)
    common = [max(a.shape[i] for a in arrays) for i in axes]
    return [
        full(xp, a, tuple(a.shape[i] if i in skip else common[i] for i in axes)) for a in arrays
    ]


def reshaped(xp: Any, field: Any, old: Shape, new: Shape) -> Any:
    """A field of an array of shape `old` as that of the array reshaped to `new`; what is 1 stays 1 where it can."""
    if 0 in old:
        return xp.reshape(full(xp, field, old), new)
    partial, target = [], []
    i = j = 0
    while i < len(old) or j < len(new):
        first_old, first_new = i, j
        size_old = size_new = 1
        if i < len(old):
            size_old, i = old[i], i + 1
        if j < len(new):
            size_new, j = new[j], j + 1
        while size_old != size_new:
            if size_old < size_new:
                size_old, i = size_old * old[i], i + 1
            else:
                size_new, j = size_new * new[j], j + 1
        same = all(n == 1 for n in field.shape[first_old:i])
        partial += [1] * (i - first_old) if same else old[first_old:i]
        target += [1] * (j - first_new) if same else new[first_new:j]
    return xp.reshape(full(xp, field, tuple(partial)), tuple(target))


def contracted(xp: Any, left: Any, right: Any, shapes: tuple[Shape, Shape], numbers: Any) -> Any:
    """dot_general of two fields of non-negative numbers, by NumPy's matmul.

    Args:
        shapes: of the two arrays that the fields belong to.
        numbers: XLA's dimension numbers, ((contracted, contracted), (batch, batch)).
    """
    (sum_left, sum_right), (batch_left, batch_right) = numbers
    repeated = 1
    kept: list[tuple[int, int]] = []
    for i, j in zip(sum_left, sum_right, strict=True):
        if left.shape[i] == right.shape[j] and left.shape[i] == shapes[0][i]:
            kept.append((i, j))
        else:  # the same all along on one side or both: n times, or times the sum of the other
            repeated *= shapes[0][i] if left.shape[i] == right.shape[j] else 1
            left, right = xp.sum(left, axis=i, keepdims=True), xp.sum(right, j, keepdims=True)
    free_left = [i for i in range(left.ndim) if i not in (*sum_left, *batch_left)]
    free_right = [j for j in range(right.ndim) if j not in (*sum_right, *batch_right)]

    def matrix(array: Any, batch: Any, rows: Any, columns: Any, dropped: Any) -> Any:
        order = (*batch, *rows, *columns, *dropped)
        sizes = [array.shape[i] for i in order]
        split = len(batch), len(batch) + len(rows), len(order) - len(dropped)
        shape = (
            *sizes[: split[0]],
            math.prod(sizes[split[0] : split[1]]),
            math.prod(sizes[split[1] : split[2]]),
        )
        return xp.reshape(xp.transpose(array, order), shape)

    gone_left = [i for i in sum_left if i not in [k for k, _ in kept]]
    gone_right = [j for j in sum_right if j not in [k for _, k in kept]]
    a = matrix(left, batch_left, free_left, [i for i, _ in kept], gone_left)
    b = matrix(right, batch_right, [j for _, j in kept], free_right, gone_right)
    product = xp.matmul(a, b)
    sizes = [left.shape[i] for i in free_left] + [right.shape[j] for j in free_right]
    return repeated * xp.reshape(product, (*product.shape[: len(batch_left)], *sizes))
