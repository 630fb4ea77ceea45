"""Sums, products and maxima along axes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ....exact.entries import arranged, as_array
from .comparisons import greatest
from .computer import NAN, Computer, fractions, without_nan


def _dot_general(reader: Any, params: Any, a: Any, b: Any) -> Any:
    (left, right), (left_batch, right_batch) = params["dimension_numbers"]
    computer = reader.computer
    a, b = computer.alike(a, b)
    left_free = [k for k in range(a.ndim) if k not in (*left, *left_batch)]
    right_free = [k for k in range(b.ndim) if k not in (*right, *right_batch)]
    a = a.transpose([*left_batch, *left_free, *left])
    b = b.transpose([*right_batch, *right_free, *right])
    batch = a.shape[: len(left_batch)]
    rows, columns = (
        a.shape[len(batch) : a.ndim - len(left)],
        b.shape[len(batch) : b.ndim - len(right)],
    )
    inner = math.prod(a.shape[a.ndim - len(left) :])
    x = a.reshape(math.prod(batch), math.prod(rows), inner)
    y = b.reshape(math.prod(batch), math.prod(columns), inner)
    out = np.empty((x.shape[0], x.shape[1], y.shape[1]), dtype=a.dtype)
    zero = computer.field.number(0) if a.dtype == object else 0
    computer.spend(out.size * inner)
    for n, i, j in np.ndindex(out.shape):
        pair = x[n, i], y[n, j]
        if computer.odd and not all(map(without_nan, pair)):
            total: Any = NAN
        else:
            total = sum((p * q for p, q in zip(*pair, strict=True)), start=zero)
        out[n, i, j] = total
    return out.reshape((*batch, *rows, *columns))


def _reduce(operation: Any, name: str) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any) -> Any:
        computer = reader.computer
        if a.dtype != object:
            kind = (
                {"dtype": a.dtype} if name not in ("max", "min") else {}
            )  # NumPy would take a wider type
            return np.asarray(getattr(np, name)(a, axis=tuple(params["axes"]), **kind))
        gone = sorted(params["axes"])
        kept = [k for k in range(a.ndim) if k not in gone]
        moved = a.transpose([*kept, *gone])
        out = np.empty(moved.shape[: len(kept)], dtype=object)
        for place in np.ndindex(out.shape):
            entries = list(np.asarray(moved[place]).flat)
            out[place] = operation(computer, entries) if without_nan(entries) else NAN
        return out

    return rule


def _sum(computer: Computer, entries: list[Any]) -> Any:
    return sum(entries, start=computer.field.number(0))


def _product(computer: Computer, entries: list[Any]) -> Any:
    return functools.reduce(lambda x, y: x * y, entries, computer.field.number(1))


def _largest(computer: Computer, entries: list[Any]) -> Any:
    return computer.as_scalar(greatest(fractions(computer, arranged(entries, (len(entries),)))))


def _least(computer: Computer, entries: list[Any]) -> Any:
    numbers = fractions(computer, arranged(entries, (len(entries),)))
    return computer.as_scalar(greatest(numbers, largest=False))


def _cumulative(operation: Any) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any) -> Any:
        axis = params["axis"]
        if a.dtype != object:
            along = np.flip(a, axis) if params["reverse"] else a
            found = operation.accumulate(along, axis=axis, dtype=a.dtype)
            return np.flip(found, axis) if params["reverse"] else found
        rows = np.moveaxis(a, axis, 0)
        order = range(len(rows))[::-1] if params["reverse"] else range(len(rows))
        out, before = np.empty(rows.shape, dtype=object), None
        for k in order:
            row = as_array(rows[k])
            before = row if before is None else reader.computer.combined(operation, before, row)
            out[k] = before if before.ndim else before[()]
        return np.moveaxis(out, 0, axis)

    return rule


RULES: dict[str, Callable[..., Any]] = {
    "dot_general": _dot_general,
    "reduce_sum": _reduce(_sum, "sum"),
    "psum": lambda reader, params, *arrays: [
        _reduce(_sum, "sum")(reader, params, one) for one in arrays
    ],
    "reduce_prod": _reduce(_product, "prod"),
    "reduce_max": _reduce(_largest, "max"),
    "reduce_min": _reduce(_least, "min"),
    "cumsum": _cumulative(np.add),
    "cumprod": _cumulative(np.multiply),
}
