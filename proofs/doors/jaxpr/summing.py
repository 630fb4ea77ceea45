"""Sums, products and extremes along axes, products of arrays, convolutions, and triangular systems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...statement import along, choices, making, placing
from ...statement.cases import cases_of
from ...statement.choices import negative
from ...statement.making import contracted, entrywise, number
from ...statement.nodes import Node
from ...statement.reshaping import reshaped
from ...statement.whole import Axis, whole
from ..extremes import extreme
from ..infinities import Value
from ..refused import Refused
from .lowering import Lowering, Rule
from .values import kind_of


def _reduce_sum(at: Lowering, a: Value, *, axes: Any) -> Value:
    return at.made(_as_entries(along.total(a.real, axes)))


def _as_entries(node: Node) -> Node:
    """The whole number that a sum is seen to be at each place, where sizes and positions determine it."""
    found = cases_of(node)
    if found is not None and len(found) == 1 and not found[0][0]:
        return making.entries_as(found[0][1], node.shape)
    return node


def _psum(at: Lowering, *values: Value, axes: Any, axis_index_groups: Any = None) -> list[Value]:
    """A sum over a named axis that `vmap` has made an axis of the arrays."""
    if axis_index_groups is not None or not all(isinstance(k, int) for k in axes):
        raise Refused("a sum over devices")
    totals = [_as_entries(along.total(one.real, axes)) for one in values]
    return [
        replace(one, node=at.fitting(total, one.dtype) if kind_of(one.dtype) == "i" else total)
        for one, total in zip(values, totals, strict=True)
    ]


def _reduce_prod(at: Lowering, a: Value, *, axes: Any) -> Value:
    return at.made(along.product(a.real, axes))


def _all(at: Lowering, a: Value, *, axes: Any) -> Value:
    return at.made(along.product(a.node, axes))


def _any(at: Lowering, a: Value, *, axes: Any) -> Value:
    return at.made(choices.inverse(along.product(choices.inverse(a.node), axes)))


def _extreme(largest: bool) -> Rule:
    def rule(at: Lowering, a: Value, *, axes: Any, out_sharding: Any = None) -> Value:
        if kind_of(a.dtype) == "b":
            return (_any if largest else _all)(at, a, axes=axes)
        return replace(extreme(a, axes, largest), dtype=at.dtype())

    return rule


def _cumulative(of: Callable[[Node, int, bool], Node]) -> Rule:
    def rule(at: Lowering, a: Value, *, axis: int, reverse: bool) -> Value:
        return at.made(of(a.real, axis, reverse))

    return rule


def _cumlogsumexp(node: Node, axis: int, reverse: bool) -> Node:
    return entrywise("log", along.sums(entrywise("exp", node), axis, reverse))


def _place(largest: bool) -> Rule:
    def rule(at: Lowering, a: Value, *, axes: Any, index_dtype: Any) -> Value:
        (axis,) = axes
        node = a.real if largest else negative(a.real)
        at.expect_fitting(a.shape[axis] - 1, index_dtype)
        return Value(along.place_of_greatest(node, axis), index_dtype)

    return rule


def _dot_general(at: Lowering, a: Value, b: Value, *, dimension_numbers: Any) -> Value:
    """Output axes: batch, free ones of the left side, free ones of the right."""
    (summed, others), (batch, batches) = dimension_numbers
    left, right = list(range(len(a.shape))), [len(a.shape) + k for k in range(len(b.shape))]
    for k, l in zip((*summed, *batch), (*others, *batches), strict=True):
        if a.shape[k] != b.shape[l]:
            raise Refused(f"lengths {making.shown([a.shape[k], b.shape[l]])} meet")
        right[l] = k
    result = [
        *batch,
        *(k for k in left if k not in (*summed, *batch)),
        *(right[k] for k in range(len(right)) if k not in (*others, *batches)),
    ]
    return at.made(contracted([a.real, b.real], [left, right], result))


def _convolution(
    at: Lowering,
    a: Value,
    b: Value,
    *,
    window_strides: Any,
    padding: Any,
    lhs_dilation: Any,
    rhs_dilation: Any,
    dimension_numbers: Any,
    feature_group_count: Any,
    batch_group_count: Any,
) -> Value:
    """out[n, o, s] = Σ_i Σ_k in[n, c + i, stride·s + step·k − low] w[o, i, k], c the first feature of o's group."""
    if batch_group_count != 1:
        raise Refused("a convolution with groups of batches")
    numbers = dimension_numbers
    array = making.permuted(a.real, numbers.lhs_spec)
    kernel = making.permuted(b.real, numbers.rhs_spec)
    for axis, gap in enumerate(lhs_dilation, start=2):
        gap = at.fixed(gap, "a convolution with a dilation") - 1
        array = placing.spaced(array, number(0), gap, axis)
    shape = at.shape()
    spots = [shape[k] for k in numbers.out_spec[2:]]
    rank = len(kernel.shape) - 2
    strides, steps = (
        [at.fixed(n, "a convolution with a stride") for n in one]
        for one in (window_strides, rhs_dilation)
    )
    before = [at.number(low) for low, _ in padding]
    windows = placing.windows(array, spots, kernel.shape[2:], strides, steps, before)
    found = _grouped(at, windows, kernel, rank, feature_group_count)
    order = [list(numbers.out_spec).index(k) for k in range(len(shape))]
    return at.made(making.permuted(found, order))


def _windows(
    at: Lowering,
    a: Value,
    *,
    window_dimensions: Any,
    window_strides: Any,
    padding: Any,
    base_dilation: Any,
    window_dilation: Any,
) -> Node:
    """The entries of the window at each place along more axes, one for each axis of the array; 0 beyond its ends."""
    if any(at.number(gap) != 1 for gap in base_dilation):
        raise Refused("windows of an array that is spaced out")
    strides, steps = (
        [at.fixed(n, "a window with a stride") for n in one]
        for one in (window_strides, window_dilation)
    )
    taps, before = map(at.number, window_dimensions), [at.number(low) for low, _ in padding]
    array, spots = reshaped(a.real, (1, 1, *a.shape)), at.shape()
    found = placing.windows(array, spots, [*taps], strides, steps, before)
    return reshaped(found, found.shape[2:])


def _window_sum(at: Lowering, a: Value, **given: Any) -> Value:
    rank = len(a.shape)
    return at.made(_as_entries(along.total(_windows(at, a, **given), range(rank, 2 * rank))))


def _window_extreme(largest: bool) -> Rule:
    def rule(at: Lowering, a: Value, *, padding: Any, **given: Any) -> Value:
        if any(at.number(n) != 0 for sides in padding for n in sides):
            raise Refused("the greatest or least entry of windows that reach beyond the array")
        found, rank = _windows(at, a, padding=padding, **given), len(a.shape)
        return at.made(extreme(Value(found, a.dtype), range(rank, 2 * rank), largest).real)

    return rule


def _grouped(at: Lowering, windows: Node, kernel: Node, rank: int, groups: Any) -> Node:
    """Σ over the features of a group and the taps: (n, c, s…, k…) and (o, i, k…) -> (n, o, s…)."""
    n, c, o = 0, 1, 2
    spots, taps = [range(first, first + rank) for first in (3, 3 + rank)]
    if at.number(groups) == 1:
        axes = [n, c, *spots, *taps], [o, c, *taps]
        return contracted([windows, kernel], axes, [n, o, *spots])
    if kernel.shape[1] == 1 and kernel.shape[0] == windows.shape[1]:  # one feature each
        kernel = making.take(
            kernel,
            [whole(Axis(0)), 0, *(whole(Axis(1 + k)) for k in range(rank))],
            (kernel.shape[0], *kernel.shape[2:]),
        )
        return contracted([windows, kernel], ([n, c, *spots, *taps], [c, *taps]), [n, c, *spots])
    count = at.fixed(groups, "a convolution with a number of groups")
    own, others = windows.shape[1], kernel.shape[0]
    width = kernel.shape[1]
    each = placing.count_of_steps(others, count)
    parts = reshaped(windows, (windows.shape[0], count, width, *windows.shape[2:]))
    kernels = reshaped(kernel, (count, each, *kernel.shape[1:]))
    g = 3 + 2 * rank
    axes = [n, g, c, *spots, *taps], [g, o, c, *taps]
    found = contracted([parts, kernels], axes, [n, g, o, *spots])
    assert own == width * count
    return reshaped(found, (found.shape[0], others, *found.shape[3:]))


def _triangular_solve(
    at: Lowering,
    a: Value,
    b: Value,
    *,
    left_side: bool,
    lower: bool,
    transpose_a: bool,
    conjugate_a: bool,
    unit_diagonal: bool,
) -> Value:
    matrix, right = a.real, b.real
    if not left_side:  # x A = b is Aᵀ xᵀ = bᵀ
        right = _transposed(right)
    if transpose_a == left_side:
        matrix, lower = _transposed(matrix), not lower
    found = making.solved(matrix, right, lower, unit_diagonal)
    return at.made(found if left_side else _transposed(found))


def _transposed(node: Node) -> Node:
    count = len(node.shape)
    return making.permuted(node, [*range(count - 2), count - 1, count - 2])


RULES: dict[str, Rule] = {
    "reduce_sum": _reduce_sum,
    "psum": _psum,
    "reduce_prod": _reduce_prod,
    "reduce_window_sum": _window_sum,
    "reduce_window_max": _window_extreme(True),
    "reduce_window_min": _window_extreme(False),
    "reduce_and": _all,
    "reduce_or": _any,
    "reduce_max": _extreme(True),
    "reduce_min": _extreme(False),
    "argmax": _place(True),
    "argmin": _place(False),
    "cumsum": _cumulative(lambda *args: _as_entries(along.sums(*args))),
    "cumprod": _cumulative(along.products),
    "cumlogsumexp": _cumulative(_cumlogsumexp),
    "cummax": _cumulative(lambda *args: along.running(choices.greater, *args)),
    "cummin": _cumulative(lambda *args: along.running(choices.smaller, *args)),
    "dot_general": _dot_general,
    "conv_general_dilated": _convolution,
    "triangular_solve": _triangular_solve,
}
