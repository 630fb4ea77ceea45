"""Entries moved: shapes, slices, joins, reads and writes at computed places."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ....exact.entries import as_array


def _broadcast_in_dim(reader: Any, params: Any, a: Any) -> Any:
    shape, axes = params["shape"], params["broadcast_dimensions"]
    full = [1] * len(shape)
    for k, axis in enumerate(axes):
        full[axis] = a.shape[k]
    return np.broadcast_to(np.asarray(a).reshape(tuple(full)), shape)


def _moved(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda reader, params, a: function(np.asarray(a), params)


def _slice(a: Any, params: Any) -> Any:
    strides = params["strides"] or [1] * a.ndim
    cut = zip(params["start_indices"], params["limit_indices"], strides, strict=True)
    return a[tuple(slice(*one) for one in cut)]


def _concatenate(reader: Any, params: Any, *arrays: Any) -> Any:
    return np.concatenate(reader.computer.alike(*arrays), axis=params["dimension"])


def _stack(reader: Any, params: Any, *arrays: Any) -> Any:
    return np.stack(reader.computer.alike(*arrays), axis=params["axis"])


def _unstack(reader: Any, params: Any, a: Any) -> list[Any]:
    return [
        as_array(row) if a.dtype == object else row for row in np.moveaxis(a, params["axis"], 0)
    ]


def _split(reader: Any, params: Any, a: Any) -> list[Any]:
    ends = np.cumsum(params["sizes"])[:-1]
    return list(np.split(a, ends, axis=params["axis"]))


def _pad(reader: Any, params: Any, a: Any, filling: Any) -> Any:
    """Outwards, inwards (negative) and between entries."""
    config = params["padding_config"]
    if a.dtype == object:
        filling = reader.computer.reals(filling)
    shape = [low + d + high + max(d - 1, 0) * inner
             for (low, high, inner), d in zip(config, a.shape, strict=True)]  # fmt: skip
    out = np.empty(shape, dtype=a.dtype)
    for place in np.ndindex(*shape):
        out[place] = filling[()]
    for place in np.ndindex(a.shape):
        there = tuple(
            low + i * (inner + 1) for i, (low, _, inner) in zip(place, config, strict=True)
        )
        if all(0 <= i < d for i, d in zip(there, shape, strict=True)):
            out[there] = a[place]
    return out


def _iota(reader: Any, params: Any) -> Any:
    shape, axis = params["shape"], params["dimension"]
    full = [1] * len(shape)
    full[axis] = shape[axis]
    rows = np.broadcast_to(np.arange(shape[axis]).reshape(full), shape)
    return rows if np.dtype(params["dtype"]).kind in "iu" else reader.computer.reals(rows)


def _gather(reader: Any, params: Any, a: Any, starts: Any) -> Any:
    numbers, sizes = params["dimension_numbers"], params["slice_sizes"]
    filled = "FILL" in str(params["mode"])  # XLA moves other starts to where the slice lies inside
    batching = tuple(getattr(numbers, "operand_batching_dims", ()))
    batched = tuple(getattr(numbers, "start_indices_batching_dims", ()))
    inner = [k for k in range(a.ndim) if k not in (*numbers.collapsed_slice_dims, *batching)]
    offset = list(numbers.offset_dims)
    rank = starts.ndim - 1 + len(offset)
    batch = [k for k in range(rank) if k not in offset]
    shape = [0] * rank
    for k, d in zip(batch, starts.shape[:-1], strict=True):
        shape[k] = d
    for k, axis in zip(offset, inner, strict=True):
        shape[k] = sizes[axis]
    out = np.empty(shape, dtype=a.dtype)
    for place in np.ndindex(*shape):
        own = tuple(place[k] for k in batch)
        here, outside = [0] * a.ndim, False
        for n, axis in enumerate(numbers.start_index_map):
            start, most = int(starts[(*own, n)]), a.shape[axis] - sizes[axis]
            outside = outside or not 0 <= start <= most
            here[axis] = min(max(start, 0), most)
        for axis, k in zip(batching, batched, strict=True):
            here[axis] = own[k]
        for k, axis in zip(offset, inner, strict=True):
            here[axis] += place[k]
        if outside and filled:
            out[place] = _filling(reader, params, a)
        else:
            out[place] = a[tuple(here)]
    return out


def _filling(reader: Any, params: Any, a: Any) -> Any:
    """What stands for an entry outside an array."""
    given = params["fill_value"]
    if a.dtype == object:
        return reader.computer.number(math.nan if given is None else float(given), "float64")
    if given is not None:
        return given
    if a.dtype == bool:
        return True
    limits = np.iinfo(a.dtype)
    return limits.max if a.dtype.kind == "u" else limits.min


def _dynamic_slice(reader: Any, params: Any, a: Any, *starts: Any) -> Any:
    sizes = params["slice_sizes"]
    begin = [min(max(int(s), 0), d - n) for s, d, n in zip(starts, a.shape, sizes, strict=False)]
    return a[tuple(slice(s, s + n) for s, n in zip(begin, sizes, strict=True))]


def _dynamic_update_slice(reader: Any, params: Any, a: Any, part: Any, *starts: Any) -> Any:
    a, part = reader.computer.alike(a, part)
    begin = [
        min(max(int(s), 0), d - n) for s, d, n in zip(starts, a.shape, part.shape, strict=True)
    ]
    out = np.array(a)
    out[tuple(slice(s, s + n) for s, n in zip(begin, part.shape, strict=True))] = part
    return out


def _scatter(adds: bool) -> Callable[..., Any]:
    def rule(reader: Any, params: Any, a: Any, starts: Any, part: Any) -> Any:
        a, part = reader.computer.alike(a, part)
        numbers, out = params["dimension_numbers"], np.array(a)
        batching, batched = numbers.operand_batching_dims, numbers.scatter_indices_batching_dims
        gone = (*numbers.inserted_window_dims, *batching)
        inner = [k for k in range(a.ndim) if k not in gone]
        outer = [k for k in range(part.ndim) if k not in numbers.update_window_dims]
        widths = dict(zip(inner, (part.shape[k] for k in numbers.update_window_dims), strict=True))
        for place in np.ndindex(part.shape):
            own, there, outside = [place[k] for k in outer], [0] * a.ndim, False
            for axis, k in zip(batching, batched, strict=True):
                there[axis] = own[k]
            for n, axis in enumerate(numbers.scatter_dims_to_operand_dims):
                start, most = int(starts[(*own, n)]), a.shape[axis] - widths.get(axis, 1)
                outside = outside or not 0 <= start <= most
                there[axis] = min(max(start, 0), most)
            for k, axis in zip(numbers.update_window_dims, inner, strict=True):
                there[axis] += place[k]
            if outside and "CLIP" not in str(params["mode"]):
                continue  # it is dropped
            out[tuple(there)] = out[tuple(there)] + part[place] if adds else part[place]
        return out

    return rule


RULES: dict[str, Callable[..., Any]] = {
    "broadcast_in_dim": _broadcast_in_dim,
    "transpose": _moved(lambda a, params: a.transpose(params["permutation"])),
    "squeeze": _moved(lambda a, params: a.squeeze(tuple(params["dimensions"]))),
    "expand_dims": _moved(lambda a, params: np.expand_dims(a, tuple(params["dimensions"]))),
    "reshape": _moved(lambda a, params: a.reshape(params["new_sizes"])),
    "slice": _moved(_slice),
    "rev": _moved(lambda a, params: np.flip(a, params["dimensions"])),
    "concatenate": _concatenate,
    "stack": _stack,
    "unstack": _unstack,
    "tile": _moved(lambda a, params: np.tile(a, params["reps"])),
    "split": _split,
    "pad": _pad,
    "iota": _iota,
    "gather": _gather,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
    "scatter": _scatter(False),
    **dict.fromkeys(("scatter-add", "scatter_add"), _scatter(True)),
}
