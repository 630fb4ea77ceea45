"""Operations along axes that a reshape joined, such as the n·C tokens of n chunks of C.

Such an axis stays the run of axes that it is made of (`merging`), in row-major order. What is done entry by entry is
the same on these; a sum over the long axis is one over all of its run; and a scan along it goes through the last axis
of the run for each place on those before, and carries on where it stopped. Where an operation meets axes that are made
of others, they are joined after all, if their length is linear: the kernel has no other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from ...kernel.index import Index
from .. import areas
from ..areas import Area, Length
from ..questions import Unreadable, aside
from .merging import Merged
from .values import picked

Rule: TypeAlias = Callable[..., Any]


def is_long(value: Any) -> bool:
    """Whether an axis of the array is one that a reshape joined."""
    return isinstance(value, Merged) and any(n > 1 for n in value.runs)


def as_they_are(change: Callable[[Rule], Rule]) -> Callable[[Rule], Rule]:
    """A rule changed for long axes, and as it is on joined ones where the changed rule does not read them."""

    def changed(rule: Rule) -> Rule:
        on_parts = change(rule)

        def rule_of_either(reader: Any, params: Any, *inputs: Any) -> Any:
            if not any(map(is_long, inputs)):
                return rule(reader, params, *inputs)
            if any(isinstance(d, Area) for one in inputs for d in one.dims):
                return on_parts(reader, params, *inputs)
            with suppress(Unreadable), aside():
                return on_parts(reader, params, *inputs)
            return rule(reader, params, *map(joined, inputs))

        return rule_of_either

    return changed


def joined(value: Any) -> Any:
    """The array with its axes joined, whose lengths are linear."""
    return value.whole() if isinstance(value, Merged) else value


def parted(value: Any) -> tuple[Any, tuple[int, ...]]:
    """The array that it is made of, and how many of its axes each axis is."""
    if isinstance(value, Merged):
        return value.array, value.runs
    return value, (1,) * len(value.dims)


def whole(array: Any, runs: Sequence[int]) -> Any:
    """The array with these runs of axes joined."""
    return array if all(n == 1 for n in runs) else Merged(array, tuple(runs))


def entrywise(rule: Rule) -> Rule:
    """A rule that makes each entry of the entries at its place."""

    def on_parts(reader: Any, params: Any, *inputs: Any) -> Any:
        ranks = {len(one.dims) for one in inputs if len(one.dims)}
        if len(ranks) > 1:
            raise Unreadable("arrays of different ranks, one with an axis that is a product")
        every = [parted(one)[1] for one in inputs if len(one.dims)]
        runs = [max(1, *of_axis) for of_axis in zip(*every, strict=True)]
        parts = [_under(one, runs) if len(one.dims) else one for one in inputs]
        for axis in (n for k, count in enumerate(runs) if count > 1 for n in _axes(runs, [k])):
            lengths = {one.dims[axis] for one in parts if len(one.dims)}
            if len(lengths - {Index(1)}) > 1:
                raise Unreadable("arrays whose axes are products of different sizes")
        return whole(rule(reader, params, *parts), runs)

    return on_parts


def _under(value: Any, runs: Sequence[int]) -> Any:
    """The parts of an array whose axes of length 1 become several such where others are runs of axes.

    Raises:
        Unreadable: if another axis is one where others are runs, or a run of fewer.
    """
    array, own = parted(value)
    if list(own) == list(runs):
        return array
    dims: list[Index] = []
    sources: list[int | None] = []
    for count, axes in zip(runs, (_axes(own, [k]) for k in range(len(own))), strict=True):
        lengths = [array.dims[n] for n in axes]
        if len(axes) == count:
            dims += lengths
            sources += axes
        elif lengths in ([], [Index(1)]):
            dims += [Index(1)] * count
            sources += [None] * count
        else:
            raise Unreadable("arrays whose axes are products of different sizes")
    kept = {axis: n for n, axis in enumerate(sources) if axis is not None}

    def places(at: Sequence[Index]) -> list[Index]:
        return [at[kept[n]] if n in kept else Index(0) for n in range(len(array.dims))]

    return picked(array, tuple(dims), places)


def _axes(runs: Sequence[int], axes: Sequence[int]) -> list[int]:
    """The axes of the parts that these axes are made of."""
    starts = [sum(runs[:k]) for k in range(len(runs))]
    return [starts[k] + n for k in axes for n in range(runs[k])]


def summed(rule: Rule) -> Rule:
    """A sum along axes."""

    def on_parts(reader: Any, params: Any, value: Any) -> Any:
        array, runs = parted(value)
        found = rule(reader, {**params, "axes": tuple(_axes(runs, params["axes"]))}, array)
        return whole(found, [n for k, n in enumerate(runs) if k not in params["axes"]])

    return on_parts


def transposed(rule: Rule) -> Rule:
    """Axes in another order."""

    def on_parts(reader: Any, params: Any, value: Any) -> Any:
        array, runs = parted(value)
        order = params["permutation"]
        found = rule(reader, {**params, "permutation": tuple(_axes(runs, order))}, array)
        return whole(found, [runs[k] for k in order])

    return on_parts


def spread(rule: Rule) -> Rule:
    """New axes, and axes of length 1 for longer ones; none of these is itself a product of sizes."""

    def on_parts(reader: Any, params: Any, value: Any, *dynamic: Any) -> Any:
        array, runs = parted(value)
        kept = dict(zip(params["broadcast_dimensions"], range(len(runs)), strict=True))
        dims: list[Index] = []
        sources: dict[int, int] = {}
        new: list[int] = []
        for k, length in enumerate(params["shape"]):
            own = _axes(runs, [kept[k]]) if k in kept else []
            new.append(len(own) or 1)
            long = [array.dims[n] for n in own]
            if len(own) < 2:
                long = [reader.dimensions.index(length)]
            for n, axis in enumerate(own):
                if array.dims[axis] == long[n]:
                    sources[axis] = len(dims) + n
            dims += long

        def places(at: Sequence[Index]) -> list[Index]:
            return [at[sources[n]] if n in sources else Index(0) for n in range(len(array.dims))]

        return whole(picked(array, tuple(dims), places), new)

    return on_parts


def row(sequence: Any, time: Index) -> Any:
    """The entries at a place of the first axis, or of the first of the axes that it is made of."""
    if not is_long(sequence):
        return picked(sequence, tuple(sequence.dims[1:]), lambda at: [time, *at])
    array, runs = parted(sequence)
    rest = picked(array, tuple(array.dims[1:]), lambda at: [time, *at])
    return whole(rest, runs[1:] if runs[0] == 1 else (runs[0] - 1, *runs[1:]))


def contracted(rule: Rule) -> Rule:
    """A sum of products; each axis of one side meets one of the other that is made of the same axes."""

    def on_parts(reader: Any, params: Any, left: Any, right: Any) -> Any:
        (a, one), (b, other) = parted(left), parted(right)
        summing, batch = params["dimension_numbers"]
        for axes, others in (summing, batch):
            for k, l in zip(axes, others, strict=True):
                own, theirs = _axes(one, [k]), _axes(other, [l])
                if [a.dims[n] for n in own] != [b.dims[n] for n in theirs]:
                    raise Unreadable("a product along axes that are products of different sizes")
        numbers = tuple(
            (tuple(_axes(one, axes)), tuple(_axes(other, others)))
            for axes, others in (summing, batch)
        )
        found = rule(reader, {**params, "dimension_numbers": numbers}, a, b)
        free = [one[k] for k in range(len(one)) if k not in (*summing[0], *batch[0])]
        free += [other[k] for k in range(len(other)) if k not in (*summing[1], *batch[1])]
        return whole(found, [*(one[k] for k in batch[0]), *free])

    return on_parts


def first_axes(sequences: Sequence[Any], length: Length) -> list[Index]:
    """The lengths of the run that the first axis of these sequences is, the same one for all.

    Raises:
        Unreadable: if there are none to tell, or several, and the length is no single one of the kernel's.
    """
    found = {tuple(a.dims[: runs[0]]) for a, runs in map(parted, sequences)}
    if len(found) == 1 and () not in found and all(one.dims[0] == length for one in sequences):
        return list(found.pop())
    if isinstance(length, Area):
        raise Unreadable(f"a loop of {areas.spelled(length)} turns, a product of sizes")
    return [length]


def joined_first(value: Any) -> Any:
    """The array with its first two axes joined."""
    array, runs = parted(value)
    return Merged(array, (runs[0] + runs[1], *runs[2:]))
