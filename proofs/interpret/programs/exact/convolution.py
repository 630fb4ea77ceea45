"""`conv_general_dilated`, entry by entry: each output entry multiplies the kernel by the window under it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....exact.scalar import NotPolynomial
from .computer import NAN, without_nan


def _convolution(reader: Any, params: Any, a: Any, b: Any) -> Any:
    if params["batch_group_count"] != 1:
        raise NotPolynomial("a convolution with groups of batches")
    computer = reader.computer
    a, b = computer.alike(a, b)
    numbers = params["dimension_numbers"]
    array, kernel = a.transpose(numbers.lhs_spec), b.transpose(numbers.rhs_spec)
    features, read, *taps = kernel.shape
    a_group = features // params["feature_group_count"]
    zero = computer.field.number(0) if array.dtype == object else 0
    shape = [reader.shape()[k] for k in numbers.out_spec]
    out = np.empty(shape, dtype=array.dtype)
    computer.spend(out.size * read * int(np.prod(taps)))
    moves = list(
        zip(params["window_strides"], params["rhs_dilation"], params["padding"], strict=True)
    )
    for n, o, *spots in np.ndindex(*shape):
        pairs = []
        for i, *tap in np.ndindex(read, *taps):
            there = [
                s * stride + k * step - low
                for s, k, (stride, step, (low, _)) in zip(spots, tap, moves, strict=True)
            ]
            gaps = zip(there, params["lhs_dilation"], strict=True)
            there, between = zip(*(divmod(x, gap) for x, gap in gaps), strict=True)
            if not any(between) and all(
                0 <= x < d for x, d in zip(there, array.shape[2:], strict=True)
            ):
                entry = array[(n, o // a_group * read + i, *there)]
                pairs.append((entry, kernel[(o, i, *tap)]))
        clean = not computer.odd or all(map(without_nan, pairs))
        total: Any = sum((x * y for x, y in pairs), start=zero) if clean else NAN
        out[(n, o, *spots)] = total
    return out.transpose(np.argsort(numbers.out_spec))


RULES: dict[str, Callable[..., Any]] = {"conv_general_dilated": _convolution}
