"""Rules of operations along axes: sums, extremes, norms, running ones, products of matrices, systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...statement import along, choices, functions, making, placing
from ...statement.choices import add, divide, inverse, multiply, subtract
from ...statement.making import entrywise
from ...statement.nodes import Node
from ...statement.order import divided, nonnegative
from ...statement.reshaping import reshaped
from ..extremes import extreme
from ..infinities import Value, moved, of_real
from . import merged
from .moving import axis_of
from .table import rule


def all_axes(node: Node, dim: Any) -> list[int]:
    """The axes that are named, all where none is."""
    if dim is None or (isinstance(dim, Sequence) and not dim):
        return list(range(len(node.shape)))
    given = [dim] if isinstance(dim, int) else dim
    return sorted({axis_of(node, d) for d in given}) if node.shape else []


@rule("sum", "sum.dim_IntList", computes=True)
def _sum(at: Any, self: Value, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    node = at.node(self)
    return along.total(node, all_axes(node, dim), keepdim)


def count_along(node: Node, axes: Sequence[int]) -> Node:
    """How many entries lie along axes, as a number."""
    return making.number(making.area([node.shape[k] for k in axes]))


def mean(node: Node, axes: Sequence[int], keep: bool = False) -> Node:
    """The mean along axes."""
    return divide(along.total(node, axes, keep), count_along(node, axes))


@rule("mean", "mean.dim")
def _mean(at: Any, self: Value, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    node = at.node(self)
    return mean(node, all_axes(node, dim), keepdim)


@rule("var.correction", "std.correction")
def _var(
    at: Any, self: Value, dim: Any = None, correction: Any = None, keepdim: bool = False
) -> Any:
    node, off = at.node(self), 1 if correction is None else correction
    axes = all_axes(node, dim)
    gaps = subtract(node, mean(node, axes, True))
    count = subtract(count_along(node, axes), at.node(off))
    found = divide(along.total(multiply(gaps, gaps), axes, keepdim), count)
    return entrywise("sqrt", found) if at.name.startswith("std") else found


@rule("var_mean.correction")
def _var_mean(
    at: Any, self: Value, dim: Any = None, correction: Any = None, keepdim: bool = False
) -> Any:
    node = at.node(self)
    return _var(at, self, dim, correction, keepdim), mean(node, all_axes(node, dim), keepdim)


@rule("prod", "prod.dim_int", computes=True)
def _prod(at: Any, self: Value, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    node = at.node(self)
    return reshaped(along.product(node, all_axes(node, dim)), at.shape)


@rule("cumsum", computes=True)
def _cumsum(at: Any, self: Value, dim: int, dtype: Any = None) -> Any:
    node = at.node(self)
    return along.sums(node, axis_of(node, dim)) if node.shape else node


@rule("cumprod", computes=True)
def _cumprod(at: Any, self: Value, dim: int, dtype: Any = None) -> Any:
    node = at.node(self)
    return along.products(node, axis_of(node, dim)) if node.shape else node


@rule("cummax", "cummin")
def _cummax(at: Any, self: Value, dim: int) -> Any:
    if not self.node.shape:
        return self, None
    node, k = at.node(self), axis_of(self.node, dim)
    _not_empty(at, node.shape[k])
    pick = choices.greater if at.name.startswith("cummax") else choices.smaller
    return along.running(pick, node, k), None


@rule("logcumsumexp")
def _logcumsumexp(at: Any, self: Value, dim: int) -> Any:
    found = of_real("exp", at.dtype, self).real
    return entrywise("log", along.sums(found, axis_of(found, dim)) if found.shape else found)


@rule("logsumexp")
def _logsumexp(at: Any, self: Value, dim: Any, keepdim: bool = False) -> Any:
    found = of_real("exp", at.dtype, self).real
    return entrywise("log", along.total(found, all_axes(found, dim), keepdim))


@rule("_softmax", "_safe_softmax")
def _softmax(at: Any, self: Value, dim: int, half_to_float: bool = False, dtype: Any = None) -> Any:
    found = of_real("exp", at.dtype, self).real
    return divide(found, along.total(found, all_axes(found, dim), True))


@rule("_log_softmax")
def _log_softmax(at: Any, self: Value, dim: int, half_to_float: bool = False) -> Any:
    found = of_real("exp", at.dtype, self).real
    total = entrywise("log", along.total(found, all_axes(found, dim), True))
    return Value(subtract(self.node, total), at.dtype, self.odd)


def _not_empty(at: Any, length: Any) -> None:
    if not nonnegative(length - 1):
        raise at.decided(length - 1, "≥ 0", "an extreme of entries of which there may be none")


@rule("amax", "amin", "max", "min", "max.dim", "min.dim")
def _extreme(at: Any, self: Value, dim: Any = None, keepdim: bool = False) -> Any:
    axes = all_axes(self.node, dim)
    for k in axes:
        _not_empty(at, self.node.shape[k])
    found = extreme(self, axes, "max" in at.name)
    found = moved(lambda node: reshaped(node, at.shapes[0]), [found])
    if not at.name.endswith(".dim"):
        return found
    if self.odd is not None or not self.node.shape:  # of −∞ no place is said
        return found, None
    return found, _place(at, self, dim, "max" in at.name, 1)


@rule("argmax", "argmin")
def _argmax(at: Any, self: Value, dim: Any = None, keepdim: bool = False) -> Any:
    return _place(at, self, dim, at.name.startswith("argmax"), 0)


def _place(at: Any, self: Value, dim: Any, largest: bool, output: int) -> Node:
    """The first place of an extreme along an axis, or among all entries."""
    node = at.node(self)
    node = node if dim is not None else reshaped(node, (making.area(node.shape),))
    k = axis_of(node, dim or 0)
    _not_empty(at, node.shape[k])
    found = along.place_of_greatest(node if largest else choices.negative(node), k)
    return reshaped(found, at.shapes[output])


@rule("any", "any.dim", "any.dims", "all", "all.dim", "all.dims")
def _any(at: Any, self: Value, dim: Any = None, keepdim: bool = False) -> Any:
    truths = choices.truth(at.node(self))
    wanted = truths if at.name.startswith("any") else inverse(truths)
    count = along.total(wanted, all_axes(truths, dim), keepdim)
    none = choices.vanishing(count)
    return inverse(none) if at.name.startswith("any") else none


@rule("linalg_vector_norm")
def _vector_norm(
    at: Any, self: Value, ord: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Any:
    node = at.node(self)
    axes = all_axes(node, dim)
    if ord == 2:
        return entrywise("sqrt", along.total(multiply(node, node), axes, keepdim))
    size = choices.absolute(node)
    if ord == 1:
        return along.total(size, axes, keepdim)
    if math.isinf(ord):
        for k in axes:
            _not_empty(at, node.shape[k])
        return reshaped(extreme(replace(self, node=size), axes, ord > 0).node, at.shape)
    if ord == 0:
        return along.total(choices.truth(node), axes, keepdim)
    power = partial(functions.power, note=at.assume)
    order = at.node(ord)
    total = along.total(power(size, order), axes, keepdim)
    return power(total, divide(making.number(1), order))


@rule("native_layer_norm")
def _layer_norm(
    at: Any, input: Value, normalized_shape: Any, weight: Any, bias: Any, eps: float
) -> Any:
    node = at.node(input)
    axes = list(range(len(node.shape) - len(normalized_shape), len(node.shape)))
    average = mean(node, axes, True)
    gaps = subtract(node, average)
    scale = divide(
        making.number(1),
        entrywise("sqrt", add(mean(multiply(gaps, gaps), axes, True), at.node(eps))),
    )
    found = multiply(gaps, scale)
    found = found if weight is None else multiply(found, at.node(weight))
    return (found if bias is None else add(found, at.node(bias))), average, scale


@rule("native_group_norm")
def _group_norm(
    at: Any, input: Value, weight: Any, bias: Any, N: Any, C: Any, HxW: Any, group: int, eps: float
) -> Any:
    node = at.node(input)
    count, channels, *rest = node.shape
    pair = divided_by(at, channels, group)
    apart = reshaped(node, (count, group, pair, *rest))
    axes = list(range(2, len(apart.shape)))
    average = mean(apart, axes, True)
    gaps = subtract(apart, average)
    scale = divide(
        making.number(1),
        entrywise("sqrt", add(mean(multiply(gaps, gaps), axes, True), at.node(eps))),
    )
    found = reshaped(multiply(gaps, scale), node.shape)
    wide = (channels, *[1] * len(rest))
    found = found if weight is None else multiply(found, reshaped(at.node(weight), wide))
    found = found if bias is None else add(found, reshaped(at.node(bias), wide))
    return found, *(reshaped(one, (count, group)) for one in (average, scale))


def divided_by(at: Any, length: Any, by: int) -> Any:
    """A length divided by a number that divides it."""
    pair = divided(length, by)
    if pair is None or pair[1] != 0:
        raise at.refuse(f"a length that {by} is not seen to divide")
    return pair[0]


# Products of matrices.


@rule("mm", "bmm", computes=True)
def _mm(at: Any, self: Value, mat2: Value) -> Any:
    return merged.matrix_product(at.node(self), at.node(mat2), len(self.node.shape) - 2)


@rule("mv", computes=True)
def _mv(at: Any, self: Value, vec: Value) -> Any:
    return merged.matrix_product(at.node(self), at.node(vec), 0)


@rule("dot", "vdot", computes=True)
def _dot(at: Any, self: Value, tensor: Any = None, other: Any = None) -> Any:
    right = at.node(other if tensor is None else tensor)
    return making.contracted([at.node(self), right], [(0,), (0,)], ())


@rule("addmm", "addmv", "baddbmm", computes=True)
def _addmm(
    at: Any,
    self: Value,
    mat1: Any = None,
    mat2: Any = None,
    mat: Any = None,
    vec: Any = None,
    batch1: Any = None,
    batch2: Any = None,
    beta: Any = 1,
    alpha: Any = 1,
) -> Any:
    left = next(v for v in (mat1, mat, batch1) if v is not None)
    right = next(v for v in (mat2, vec, batch2) if v is not None)
    product = merged.matrix_product(at.node(left), at.node(right), len(left.node.shape) - 2)
    product = product if alpha == 1 else multiply(at.node(alpha), product)
    return add(at.node(self) if beta == 1 else multiply(at.node(beta), at.node(self)), product)


@rule("convolution")
def _convolution(
    at: Any,
    input: Value,
    weight: Value,
    bias: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Any:
    if transposed:
        raise at.refuse("a transposed convolution")
    node, kernel = at.node(input), at.node(weight)
    if not all(isinstance(n, int) for n in kernel.shape[2:]):
        raise at.refuse("a convolution with a kernel whose length is a size")
    if len(node.shape) != len(kernel.shape):
        raise at.refuse("a convolution without a batch")
    count = len(kernel.shape) - 2
    strides, before, steps = (
        list(one) * count if len(one) == 1 else one for one in (stride, padding, dilation)
    )
    seen = placing.windows(node, at.shape[2:], kernel.shape[2:], strides, steps, before)
    places, taps = list(range(10, 10 + count)), list(range(20, 20 + count))
    if groups == 1:
        found = making.contracted(
            [seen, kernel], [[0, 1, *places, *taps], [2, 1, *taps]], [0, 2, *places]
        )
    else:
        inner, outer = (
            divided_by(at, node.shape[1], groups),
            divided_by(at, kernel.shape[0], groups),
        )
        seen = reshaped(seen, (seen.shape[0], groups, inner, *seen.shape[2:]))
        kernel = reshaped(kernel, (groups, outer, *kernel.shape[1:]))
        found = making.contracted(
            [seen, kernel], [[0, 3, 1, *places, *taps], [3, 2, 1, *taps]], [0, 3, 2, *places]
        )
        found = reshaped(found, at.shape)
    if bias is None:
        return found
    return add(found, reshaped(at.node(bias), (at.shape[1], *[1] * count)))


@rule("avg_pool2d", "avg_pool3d")
def _mean_of_windows(
    at: Any,
    self: Value,
    kernel_size: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: Any = None,
) -> Any:
    node, count = at.node(self), 2 + at.name.startswith("avg_pool3d")
    taps, strides, before = (
        list(one) * count if len(one) == 1 else list(one)
        for one in (kernel_size, stride or kernel_size, padding)
    )
    if ceil_mode or (any(before) and not count_include_pad):
        raise at.refuse("means of windows of which some have fewer entries")
    array = node if len(node.shape) == count + 2 else reshaped(node, (1, *node.shape))
    seen = placing.windows(array, at.shape[-count:], taps, strides, [1] * count, before)
    total = along.total(seen, range(2 + count, 2 + 2 * count))
    return reshaped(divide(total, at.node(divisor_override or math.prod(taps))), at.shape)


@rule("linalg_solve_triangular")
def _solve_triangular(
    at: Any, self: Value, B: Value, upper: bool, left: bool = True, unitriangular: bool = False
) -> Any:
    matrix, right = at.node(self), at.node(B)
    if left:
        return making.solved(matrix, right, not upper, unitriangular)
    turn = lambda node: merged.permuted(node, _turned(node))  # noqa: E731
    return turn(making.solved(turn(matrix), turn(right), upper, unitriangular))


def _turned(node: Node) -> list[int]:
    count = len(node.shape)
    return [*range(count - 2), count - 1, count - 2]


@rule("triangular_solve")
def _triangular_solve(
    at: Any,
    self: Value,
    A: Value,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Any:
    matrix, lower = at.node(A), not upper
    if transpose:
        matrix, lower = merged.permuted(matrix, _turned(matrix)), upper
    return making.solved(matrix, at.node(self), lower, unitriangular), None


@rule("native_dropout")
def _dropout(at: Any, input: Value, p: float, train: Any) -> Any:
    if train is not False and p:
        raise at.refuse("a dropout that draws")
    return input, making.full(making.number(1), input.node.shape)
