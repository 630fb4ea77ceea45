"""Rules that sum, multiply up or take a maximum along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...kernel.index import Index, position
from ...kernel.term import Term
from .. import areas
from ..array import KernelArray, comprehension, function
from ..products import running_product
from ..questions import Unreadable
from ..simplifying import simplified
from ..terms import total
from .machine_integers import unmeasured
from .maxima import maximum
from .values import Integers, Masked, reals


def _dot_general(reader: Any, params: Any, a: Any, b: Any) -> KernelArray:
    """Output axes: batch, free ones of the left side, free ones of the right."""
    (left_summed, right_summed), (left_batch, right_batch) = params["dimension_numbers"]
    left, right = reals(a), reals(b)
    for k, l in zip((*left_summed, *left_batch), (*right_summed, *right_batch), strict=True):
        if left.dims[k] != right.dims[l]:
            raise Unreadable(
                f"lengths {areas.spelled(left.dims[k])} and {areas.spelled(right.dims[l])} meet"
            )
    left_free = [k for k in range(left.ndim) if k not in (*left_summed, *left_batch)]
    right_free = [k for k in range(right.ndim) if k not in (*right_summed, *right_batch)]
    dims = [
        *(left.dims[k] for k in left_batch),
        *(left.dims[k] for k in left_free),
        *(right.dims[k] for k in right_free),
    ]

    def at(*place: Index) -> Term:
        inner = [position("k", 0, left.dims[k]) for k in left_summed]
        cut = len(left_batch) + len(left_free)
        batch, own, other = place[: len(left_batch)], place[len(left_batch) : cut], place[cut:]
        here = _placed(left.ndim, (left_batch, batch), (left_free, own), (left_summed, inner))
        there = _placed(
            right.ndim, (right_batch, batch), (right_free, other), (right_summed, inner)
        )
        term = simplified(left.entry(here) * right.entry(there))
        for k in reversed(inner):
            term = simplified(total(term, k))
        return term

    return comprehension(dims, at)


def _placed(rank: int, *parts: Any) -> list[Index]:
    found = [Index(0)] * rank
    for axes, indices in parts:
        for axis, i in zip(axes, indices, strict=True):
            found[axis] = i
    return found


def _reduce_sum(reader: Any, params: Any, a: Any) -> KernelArray:
    array = reals(a)
    for axis in sorted(params["axes"], reverse=True):
        array = array.sum(axis=axis)
    return array


def _psum(reader: Any, params: Any, *arrays: Any) -> list[Any]:
    """A sum over a named axis that `vmap` has made an axis of the arrays."""
    axes = params["axes"]
    if params.get("axis_index_groups") is not None or not all(isinstance(k, int) for k in axes):
        raise Unreadable("a sum over devices")
    return [_reduce_sum(reader, params, one) for one in arrays]


def _reduce_max(reader: Any, params: Any, a: Any) -> KernelArray:
    if isinstance(a, Integers):
        raise Unreadable("the maximum of integers")
    array = a.array if isinstance(a, Masked) else reals(a)
    gone = set(params["axes"])
    dims = tuple(d for k, d in enumerate(array.dims) if k not in gone)
    beside = [reals(a.mask)] if isinstance(a, Masked) else []
    return maximum(dims, array, *beside, of=(a, *sorted(gone)))


def _cumulative(take: Callable[..., Term]) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any) -> KernelArray:
        axis, array = params["axis"], reals(a)
        length = array.dims[axis]

        def at(*place: Index) -> Term:
            i = place[axis]
            low, high = (i, length) if params["reverse"] else (Index(0), i + 1)
            return take(lambda s: [*place[:axis], s, *place[axis + 1 :]], array, length, low, high)

        return comprehension(array.dims, at)

    return rule


def _sum_between(places: Any, array: KernelArray, length: Index, low: Index, high: Index) -> Term:
    s = position("s", 0, length)
    return total(array.entry(places(s), [s - low, high - 1 - s]), s)


def _product_between(
    places: Any, array: KernelArray, length: Index, low: Index, high: Index
) -> Term:
    r = position("r", 0, length)
    return running_product(array.entry(places(r)), r, low, high)


def _reduce_prod(reader: Any, params: Any, a: Any) -> KernelArray:
    array = reals(a)
    for axis in sorted(params["axes"], reverse=True):
        dims = [d for k, d in enumerate(array.dims) if k != axis]

        def at(*place: Index, axis: int = axis, array: KernelArray = array) -> Term:
            length = array.dims[axis]
            return _product_between(
                lambda s: [*place[:axis], s, *place[axis:]], array, length, Index(0), length
            )

        array = comprehension(dims, at)
    return array


def _adding_up(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Sums and products of integers are read as those of real numbers: that none runs over is taken for granted."""

    def noted(reader: Any, params: Any, *inputs: Any) -> Any:
        if reader.makes_integers():
            unmeasured(reader)
        return rule(reader, params, *inputs)

    return noted


def _cumulative_logarithm(reader: Any, params: Any, a: Any) -> KernelArray:
    """log of the sum of exp so far."""
    return function("log", _cumulative(_sum_between)(reader, params, function("exp", reals(a))))


def _reduce_min(reader: Any, params: Any, a: Any) -> KernelArray:
    return -_reduce_max(reader, params, -reals(a))


RULES: dict[str, Callable[..., Any]] = {
    "reduce_max": _reduce_max,
    "reduce_min": _reduce_min,
    "cumlogsumexp": _cumulative_logarithm,
    **{
        name: _adding_up(rule)
        for name, rule in {
            "dot_general": _dot_general,
            "reduce_sum": _reduce_sum,
            "psum": _psum,
            "reduce_prod": _reduce_prod,
            "cumsum": _cumulative(_sum_between),
            "cumprod": _cumulative(_product_between),
        }.items()
    },
}
