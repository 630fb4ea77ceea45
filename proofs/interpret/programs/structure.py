"""Rules that only move entries: broadcasting, transposing, cutting, joining, and reading at computed places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...kernel.index import Index, position
from ...kernel.term import as_term
from .. import areas
from ..areas import Area, Length
from ..array import KernelArray, comprehension, holds
from ..questions import Unreadable
from ..terms import indicator, total
from .joining import Joined, cut, joined, shaped, stacked
from .machine_integers import wide
from .merging import merged_axes
from .values import Count, Dims, Integers, picked, reals, whole


def _dims(reader: Any, shape: Sequence[Any]) -> Dims:
    return tuple(reader.dimensions.index(d) for d in shape)


def _lengths(reader: Any, shape: Sequence[Any]) -> tuple[Length, ...]:
    """The lengths of an array whose axes a reshape may have joined."""
    return tuple(reader.dimensions.length(d) for d in shape)


def _broadcast_in_dim(reader: Any, params: Any, a: Any, *dynamic: Any) -> Any:
    axes = params["broadcast_dimensions"]
    own = a.dims

    def places(at: Any) -> list[Index]:
        return [Index(0) if d == Index(1) else at[k] for d, k in zip(own, axes, strict=True)]

    return picked(a, _dims(reader, params["shape"]), places)


def _transpose(reader: Any, params: Any, a: Any) -> Any:
    order = params["permutation"]

    def places(at: Any) -> list[Index]:
        found = list(at)
        for k, axis in enumerate(order):
            found[axis] = at[k]
        return found

    return picked(a, tuple(a.dims[k] for k in order), places)


def _squeeze(reader: Any, params: Any, a: Any) -> Any:
    gone = set(params["dimensions"])
    kept = [k for k in range(len(a.dims)) if k not in gone]

    def places(at: Any) -> list[Index]:
        found = [Index(0)] * len(a.dims)
        for k, i in zip(kept, at, strict=True):
            found[k] = i
        return found

    return picked(a, tuple(a.dims[k] for k in kept), places)


def _expand_dims(reader: Any, params: Any, a: Any) -> Any:
    new = set(params["dimensions"])
    rank = len(a.dims) + len(new)
    old = iter(a.dims)
    dims = tuple(Index(1) if k in new else next(old) for k in range(rank))
    return picked(a, dims, lambda at: [i for k, i in enumerate(at) if k not in new])


def _reshape(reader: Any, params: Any, a: Any) -> Any:
    """Axes are split where the factors behind the first are numbers, and merged likewise."""
    if params.get("dimensions") is not None:
        raise Unreadable("a reshape in another order")
    return shaped(a, _lengths(reader, params["new_sizes"]))


def _slice(reader: Any, params: Any, a: Any) -> Any:
    if _whole(reader, params, a):
        return a
    if isinstance(a, Joined) and not params["strides"]:
        lows, highs = (_lengths(reader, params[n]) for n in ("start_indices", "limit_indices"))
        part = cut(a, lows, [areas.add(h, low, -1) for low, h in zip(lows, highs, strict=True)])
        if part is not None:
            return part
    a = whole(a)
    starts = _dims(reader, params["start_indices"])
    stops = _dims(reader, params["limit_indices"])
    strides = params["strides"] or [1] * len(starts)
    dims = tuple(
        _strided(stop - start, reader.dimensions.index(step))
        for start, stop, step in zip(starts, stops, strides, strict=True)
    )
    steps = [reader.dimensions.index(step).const for step in strides]
    return picked(
        a, dims, lambda at: [i * c + s for i, s, c in zip(at, starts, steps, strict=True)]
    )


def _whole(reader: Any, params: Any, a: Any) -> bool:
    steps = all(step == 1 for step in params["strides"] or ())
    starts = all(length == Index(0) for length in _lengths(reader, params["start_indices"]))
    return steps and starts and _lengths(reader, params["limit_indices"]) == tuple(a.dims)


def _strided(length: Index, step: Index) -> Index:
    """How many places of `length`, `step` apart, there are: the whole part of (length + step − 1) / step."""
    if step == Index(1):
        return length
    if step.terms:
        raise Unreadable("a slice with a symbolic step")
    found = areas.divided(length + step - 1, step)
    if found is None or not isinstance(found[0], Index):
        raise Unreadable(f"a slice with the step {step.const} of a length that it may not divide")
    return found[0]


def _rev(reader: Any, params: Any, a: Any) -> Any:
    axes = set(params["dimensions"])

    def places(at: Any) -> list[Index]:
        return [a.dims[k] - 1 - i if k in axes else i for k, i in enumerate(at)]

    return picked(a, tuple(a.dims), places)


def _split(reader: Any, params: Any, a: Any) -> list[Any]:
    axis, start, found = params["axis"], Index(0), []
    for size in _dims(reader, params["sizes"]):
        dims = (*a.dims[:axis], size, *a.dims[axis + 1 :])

        def places(at: Any, first: Index = start) -> list[Index]:
            return [i + first if k == axis else i for k, i in enumerate(at)]

        found.append(picked(a, dims, places))
        start = start + size
    return found


def _pad(reader: Any, params: Any, a: Any, filling: Any) -> KernelArray:
    """Entry x of an axis comes to low + (between + 1) x; a negative low or high cuts entries off."""
    config = [tuple(map(reader.dimensions.index, one)) for one in params["padding_config"]]
    if any(between.terms for *_, between in config):
        raise Unreadable("padding by a symbolic number between entries")
    array, value = reals(a), reals(filling).term
    dims = tuple(map(_padded, array.dims, config))

    def at(*place: Index) -> Any:
        found, inside, between = [], [], []
        for i, d, (low, _, gap) in zip(place, array.dims, config, strict=True):
            if gap == Index(0):
                x = i - low
                inside += [x, d - 1 - x]
            else:
                x = position("j", 0, d)
                on = i - low - x * (gap.const + 1)
                inside += [on, -on]
                between.append(x)
            found.append(x)
        here, covered = array.entry(found, inside), indicator(*inside)
        for x in between:
            here, covered = total(here, x), total(covered, x)
        return here + value * (as_term(1) + covered * -1) if value.parts else here

    return comprehension(dims, at)


def _padded(length: Index, axis: Sequence[Index]) -> Index:
    """The length of an axis with padding before and behind it and between its entries, of which there are some."""
    low, high, between = axis
    if between != Index(0) and not holds(length - 1):
        raise Unreadable("padding between entries of an axis that may be empty")
    found = low + length + high + (length - 1) * between.const
    if not holds(found):
        raise Unreadable("padding by a negative number, to a length that may be negative")
    return found


def _iota(reader: Any, params: Any, *dynamic: Any) -> Any:
    axis = params["dimension"]
    found = Integers(_dims(reader, params["shape"]), lambda at: at[axis])
    if "int" not in str(params["dtype"]):
        return reals(found)
    wide(params["dtype"])
    return found


def _dim_as_value(reader: Any, params: Any) -> Any:
    length = reader.dimensions.length(params["dim"])
    if isinstance(length, Area):
        return Count((), length)
    return Integers((), lambda at: length)


def _gather(reader: Any, params: Any, a: Any, starts: Any) -> Any:
    """Entries at starts + offsets; a start that may lie outside is refused, so that clamping does not matter."""
    numbers = params["dimension_numbers"]
    lengths = _lengths(reader, params["slice_sizes"])
    if isinstance(a, Joined) and len(starts.dims) == 1 and len(numbers.offset_dims) == len(lengths):
        part = cut(a, _starts(numbers, starts, len(lengths)), lengths)
        if part is not None:
            return part
    if not isinstance(starts, Integers):
        raise Unreadable("a gather at places that are not linear in sizes and positions")
    if (
        lengths == tuple(a.dims)
        and list(starts.dims[:-1]) == []
        and len(numbers.offset_dims) == len(lengths)
        and ("FILL" not in str(params["mode"]) or _is_0(_starts(numbers, starts, len(lengths))))
    ):
        return a  # all of it: there is one start that does not run over an end
    a = whole(a)
    sizes = _dims(reader, params["slice_sizes"])
    batching = tuple(getattr(numbers, "operand_batching_dims", ()))
    batched = tuple(getattr(numbers, "start_indices_batching_dims", ()))
    offset = list(numbers.offset_dims)
    inner = [k for k in range(len(a.dims)) if k not in (*numbers.collapsed_slice_dims, *batching)]
    outer = list(starts.dims[:-1])
    rank = len(outer) + len(offset)
    batch = [k for k in range(rank) if k not in offset]
    dims: list[Index] = [Index(1)] * rank
    for k, d in zip(batch, outer, strict=True):
        dims[k] = d
    for k, axis in zip(offset, inner, strict=True):
        dims[k] = sizes[axis]

    def places(at: Any) -> list[Index]:
        own = [at[k] for k in batch]
        found = [Index(0)] * len(a.dims)
        for n, axis in enumerate(numbers.start_index_map):
            found[axis] = starts.at([*own, Index(n)])
        for axis, k in zip(batching, batched, strict=True):
            found[axis] = own[k]
        for k, axis in zip(offset, inner, strict=True):
            found[axis] = found[axis] + at[k]
        return found

    # Of integers and masks, which are functions of places, nobody else checks whether these lie in the array.
    for i, d in zip(places([position("i", 0, d) for d in dims]), a.dims, strict=True):
        if not holds(i, d - 1 - i):
            raise Unreadable("a gather that may read outside its array")
    return picked(a, tuple(dims), places)


def _is_0(starts: Sequence[Length]) -> bool:
    return all(start == Index(0) for start in starts)


def _starts(numbers: Any, starts: Any, rank: int) -> list[Length]:
    """Where a gather of one slice begins on each axis."""
    found: list[Length] = [Index(0)] * rank
    for n, axis in enumerate(numbers.start_index_map):
        found[axis] = starts.length if isinstance(starts, Count) else starts.at([Index(n)])
    return found


def _dynamic_slice(reader: Any, params: Any, a: Any, *starts: Any) -> Any:
    if not all(isinstance(one, Integers) for one in starts):
        raise Unreadable("a slice at places that are not linear in sizes and positions")
    if _lengths(reader, params["slice_sizes"]) == tuple(a.dims):
        return a
    a = whole(a)
    sizes = _dims(reader, params["slice_sizes"])
    begin = [
        _inside(one.at([]), d - size) for one, size, d in zip(starts, sizes, a.dims, strict=False)
    ]
    return picked(a, sizes, lambda at: [i + s for i, s in zip(at, begin, strict=True)])


def _inside(start: Index, most: Index) -> Index:
    """Where a part begins that is moved into its array: at 0 if that would be before it, at `most` if behind."""
    if holds(start, most - start):
        return start
    if holds(start - most):
        return most
    if holds(-start):
        return Index(0)
    raise Unreadable(
        f"whether a part that begins at {areas.spelled(start)} runs over an end depends on the sizes"
    )


def _dynamic_update_slice(reader: Any, params: Any, a: Any, part: Any, *starts: Any) -> KernelArray:
    if not all(isinstance(one, Integers) for one in starts):
        raise Unreadable("a part written at places that are not linear in sizes and positions")
    array, new = reals(a), reals(part)
    begin = [
        Index(0) if size == d else _inside(one.at([]), d - size)
        for one, size, d in zip(starts, new.dims, array.dims, strict=True)
    ]

    def at(*place: Index) -> Any:
        inner = [i - start for i, start in zip(place, begin, strict=True)]
        written = [k for k, d in enumerate(new.dims) if d != array.dims[k]]
        inside = [g for k in written for g in (inner[k], new.dims[k] - 1 - inner[k])]
        kept = array.entry(place) * (as_term(1) + indicator(*inside) * -1)
        return kept + new.entry(inner, inside)

    return comprehension(array.dims, at)


def _unstack(reader: Any, params: Any, a: Any) -> list[Any]:
    axis = params["axis"]
    dims = (*a.dims[:axis], *a.dims[axis + 1 :])

    def row(k: int) -> Any:
        return picked(a, dims, lambda at: [*at[:axis], Index(k), *at[axis:]])

    return [row(k) for k in range(a.dims[axis].const)]


def _tile(reader: Any, params: Any, a: Any) -> Any:
    for axis, count in enumerate(_dims(reader, params["reps"])):
        if count != Index(1):
            dims = (*a.dims[:axis], count, *a.dims[axis:])
            several = picked(a, dims, lambda at, k=axis: [*at[:k], *at[k + 1 :]])
            a = merged_axes(several, axis)
    return a


RULES: dict[str, Callable[..., Any]] = {
    "broadcast_in_dim": _broadcast_in_dim,
    "transpose": _transpose,
    "squeeze": _squeeze,
    "expand_dims": _expand_dims,
    "reshape": _reshape,
    "slice": _slice,
    "rev": _rev,
    "concatenate": lambda reader, params, *arrays: joined(arrays, params["dimension"]),
    "stack": lambda reader, params, *arrays: stacked(arrays, params["axis"]),
    "unstack": _unstack,
    "tile": _tile,
    "split": _split,
    "pad": _pad,
    "iota": _iota,
    "dim_as_value": _dim_as_value,
    "gather": _gather,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _dynamic_update_slice,
}
