"""`conv_general_dilated`: a sum over taps and input features, of entries that are 0 outside the array.

out[n, o, s] = Σ_i Σ_k in[n, c(o) + i, stride s + step k − low] w[o, i, k], where i runs over the features that an
output feature reads and c(o) is the first of them: 0 with one group, o times their number where each output feature
has a group of its own, as in causal depthwise convolutions. JAX does not turn the kernel round. Where the array is
dilated there are zeros between its entries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...kernel.index import Index, position
from ...kernel.term import Term
from ..array import KernelArray, comprehension
from ..questions import Unreadable
from ..simplifying import simplified
from ..terms import total
from .machine_integers import unmeasured
from .values import reals


def _convolution(reader: Any, params: Any, a: Any, b: Any) -> KernelArray:
    if params["batch_group_count"] != 1:
        raise Unreadable("a convolution with groups of batches")
    if reader.makes_integers():
        unmeasured(reader)
    array, kernel = reals(a), reals(b)
    numbers = params["dimension_numbers"]
    (_, feature, *axes), (_, read, *taps) = numbers.lhs_spec, numbers.rhs_spec
    dims = [reader.dimensions.index(d) for d in reader.shape()]
    features, width = dims[numbers.out_spec[1]], kernel.dims[read]
    groups = reader.dimensions.index(params["feature_group_count"])
    own = groups == features  # of which each output feature has one
    if own and width.terms:
        raise Unreadable("a convolution whose groups have a symbolic number of features")
    if not own and groups != Index(1):
        raise Unreadable("a convolution with several output features in a group")
    lows = [reader.dimensions.index(low) for low, _ in params["padding"]]
    strides, steps, gaps = (
        [_number(reader, one) for one in params[name]]
        for name in ("window_strides", "rhs_dilation", "lhs_dilation")
    )

    def at(*place: Index) -> Term:
        n, o, *spots = (place[k] for k in numbers.out_spec)
        i = position("c", 0, width)
        inner = [position("k", 0, kernel.dims[k]) for k in taps]
        here, there = [Index(0)] * array.ndim, [Index(0)] * kernel.ndim
        here[numbers.lhs_spec[0]], there[numbers.rhs_spec[0]], there[read] = n, o, i
        here[feature] = o * width.const + i if own else i
        inside, between = [], []
        for axis, tap, s, k, stride, step, gap, low in zip(
            axes, taps, spots, inner, strides, steps, gaps, lows, strict=True
        ):
            there[tap] = k
            here[axis] = x = s * stride + k * step - low
            if gap == 1:
                inside += [x, array.dims[axis] - 1 - x]
            else:  # entries stand at multiples of the gap, and zeros between them
                here[axis] = position("j", 0, array.dims[axis])
                inside += [x - here[axis] * gap, here[axis] * gap - x]
                between.append(here[axis])
        term = simplified(array.entry(here, inside) * kernel.entry(there))
        for k in (*between, *reversed(inner), i):
            term = simplified(total(term, k))
        return term

    return comprehension(dims, at)


def _number(reader: Any, dimension: Any) -> int:
    found = reader.dimensions.index(dimension)
    if found.terms:
        raise Unreadable("a convolution with a symbolic stride or dilation")
    return found.const


RULES: dict[str, Callable[..., Any]] = {"conv_general_dilated": _convolution}
